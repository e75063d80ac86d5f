import { useNavigate } from '@tanstack/react-router'
import { emailProblem } from '../../../../worker/domain/email.ts'
import { AccountFrame } from '../../components/AccountFrame.tsx'
import { Button } from '../../components/Button.tsx'
import { EmailField, ErrorBox } from '../../components/Field.tsx'
import { useFields } from '../../lib/form.ts'
import { useTitle } from '../../lib/hooks.ts'
import { forgotPassword } from '../../queries/account.ts'
import { BackToSignIn, Heading, useHandedEmail } from './parts.tsx'

/** Asks for a code by mail; the next screen takes it. Whether there is such an account is not told. */
export function ForgotPasswordScreen() {
  const navigate = useNavigate()
  useTitle('Forgot password')

  const { form, busy, general, errorOf, bind } = useFields(
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
      <Heading title="Forgot your password?">We send you a code, and with it you choose a new one.</Heading>
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
