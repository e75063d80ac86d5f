import { useState } from 'react'
import { emailProblem } from '../../../../worker/domain/email.ts'
import { AccountFrame } from '../../components/AccountFrame.tsx'
import { Button } from '../../components/Button.tsx'
import { EmailField, ErrorBox } from '../../components/Field.tsx'
import { Resend } from '../../components/Resend.tsx'
import { useFields } from '../../lib/form.ts'
import { useTitle } from '../../lib/hooks.ts'
import { forgotPassword, resetPassword } from '../../queries/account.ts'
import {
  BackToSignIn,
  CodeField,
  codeProblem,
  Done,
  Heading,
  NewPasswordField,
  useCodeSent,
  useHandedEmail,
} from './parts.tsx'

/** The code of the mail and a new password. */
export function ResetPasswordScreen() {
  const [done, setDone] = useState(false)
  const handed = useHandedEmail()
  const codeSent = useCodeSent()
  useTitle('Reset password')

  const { form, values, busy, general, errorOf, bind } = useFields(
    { email: handed, code: '', newPassword: '' },
    {
      check({ email, code, newPassword }) {
        const invalid = emailProblem(email)
        if (invalid) return { field: 'email', message: invalid }
        return (
          codeProblem(code) ??
          (newPassword.length < 8 ? { field: 'newPassword', message: 'Password must be at least 8 characters' } : null)
        )
      },
      async send({ email, ...rest }) {
        await resetPassword({ email: email.trim(), ...rest })
        setDone(true)
      },
      fallback: ['Password reset failed.', 'Password reset failed'],
    },
  )
  const email = values.email.trim()

  if (done)
    return (
      <AccountFrame>
        <Done title="Password changed">You are signed out everywhere. Sign in with your new password.</Done>
      </AccountFrame>
    )
  return (
    <AccountFrame>
      <Heading title="Choose a new password">
        {codeSent && handed
          ? `If ${handed} has an account, a 6-digit code is on its way. It works for 15 minutes.`
          : 'Enter the 6-digit code from our email. It works for 15 minutes.'}
      </Heading>
      <form {...form} className="mt-5 space-y-4">
        {general && <ErrorBox>{general}</ErrorBox>}
        <EmailField {...bind('email')} error={errorOf('email')} />
        <CodeField {...bind('code')} error={errorOf('code')} />
        <NewPasswordField label="New Password" {...bind('newPassword')} error={errorOf('newPassword')} />
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Resetting Password...' : 'Reset Password'}
        </Button>
      </form>
      <div className="mt-3">
        <Resend
          cooling={codeSent}
          disabled={emailProblem(email) !== null}
          onSend={() => forgotPassword(email)}
          sent={`If ${email} has an account, a new code is on its way.`}
        />
      </div>
      <BackToSignIn />
    </AccountFrame>
  )
}
