import { useState } from 'react'
import { emailProblem } from '#domain/email.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button } from '#web/components/Button.tsx'
import { Resend } from '#web/components/Code.tsx'
import { EmailField, ErrorBox } from '#web/components/Field.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { forgotPassword, resetPassword } from '#web/queries/account.ts'
import {
  BackToSignIn,
  CodeField,
  codeProblem,
  Done,
  Heading,
  NewPasswordField,
  newPasswordProblem,
  useCodeSent,
  useHandedEmail,
  useLinkToken,
} from './AccountPage.tsx'
import { NewPasswordByLink } from './NewPasswordByLink.tsx'

/** Sets a new password for someone with the link or the code from our email. */
export function ResetPasswordScreen() {
  const linkToken = useLinkToken()
  useTitle('Reset password')
  if (!linkToken) return <NewPasswordByCode />
  return (
    <NewPasswordByLink key={linkToken} token={linkToken}>
      It replaces the old one and signs you out everywhere.
    </NewPasswordByLink>
  )
}

function NewPasswordByCode() {
  const [done, setDone] = useState(false)
  const handed = useHandedEmail()
  const codeSent = useCodeSent()

  const { form, values, busy, general, errorOf, bind } = useAccountForm(
    { email: handed, code: '', newPassword: '' },
    {
      check({ email, code, newPassword }) {
        const invalid = emailProblem(email)
        if (invalid) return { field: 'email', message: invalid }
        return codeProblem(code) ?? newPasswordProblem(newPassword)
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
          : 'Enter the 6-digit code from our email, or open the link in it. It works for 15 minutes.'}
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
