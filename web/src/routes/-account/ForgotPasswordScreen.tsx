import { useNavigate } from '@tanstack/react-router'
import { emailProblem } from '#domain/email.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button } from '#web/components/Button.tsx'
import { EmailField, ErrorBox } from '#web/components/Field.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { forgotPassword } from '#web/queries/account.ts'
import { BackToSignIn, Heading, useHandedEmail } from './AccountPage.tsx'

/** Sends a code by email, to be entered on the next screen. Does not reveal whether the account exists. */
export function ForgotPasswordScreen() {
  const navigate = useNavigate()
  useTitle('Forgot password')

  const { form, busy, general, errorOf, bind } = useAccountForm(
    { email: useHandedEmail() },
    {
      check({ email }) {
        const invalid = emailProblem(email)
        return invalid ? { field: 'email', message: invalid } : null
      },
      async send(values) {
        const email = values.email.trim()
        await forgotPassword(email)
        await navigate({ to: '/reset-password', state: { email, codeSent: true } })
      },
      fallback: ['Password reset request failed.', 'Password reset request failed'],
    },
  )

  return (
    <AccountFrame>
      <Heading title="Forgot your password?">We will email you a code for choosing a new password.</Heading>
      <form {...form} className="mt-5 space-y-4">
        {general && <ErrorBox>{general}</ErrorBox>}
        <EmailField {...bind('email')} error={errorOf('email')} />
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Sending Code...' : 'Send Code'}
        </Button>
      </form>
      <BackToSignIn />
    </AccountFrame>
  )
}
