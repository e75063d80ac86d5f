import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { emailProblem, storedEmail } from '#domain/email.ts'
import { EmailField } from '#web/components/EmailField.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { forgotPassword } from '#web/queries/account.ts'
import { FormScreen, useHandedEmail } from './-account/AccountPage.tsx'

export const Route = createFileRoute('/forgot-password')({ component: ForgotPasswordScreen })

/** Sends a code by email, to be entered on the next screen. Does not reveal whether the account exists. */
function ForgotPasswordScreen() {
  const navigate = useNavigate()
  useTitle('Forgot password')

  const form = useAccountForm(
    { email: useHandedEmail() },
    {
      check({ email }) {
        const invalid = emailProblem(email)
        return invalid ? { field: 'email', message: invalid } : null
      },
      async send(values) {
        const email = storedEmail(values.email) ?? ''
        await forgotPassword(email)
        await navigate({ to: '/reset-password', search: true, state: { email, codeSent: true } })
      },
      fallback: ['Password reset request failed.', 'Password reset request failed'],
    },
  )

  return (
    <FormScreen
      title="Forgot your password?"
      why="We will email you a code for choosing a new password."
      form={form}
      submit={['Send Code', 'Sending Code...']}
    >
      <EmailField {...form.bind('email')} error={form.errorOf('email')} />
    </FormScreen>
  )
}
