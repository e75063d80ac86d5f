import { type ReactNode, useState } from 'react'
import { storedEmail } from '#domain/email.ts'
import { Resend } from '#web/components/Code.tsx'
import { EmailField } from '#web/components/EmailField.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { forgotPassword, resetPassword, resetPasswordByLink } from '#web/queries/account.ts'
import {
  CodeField,
  codeProblem,
  Done,
  FormScreen,
  LinkProblem,
  NewPasswordField,
  newPasswordProblem,
  useCodeSent,
  useHandedEmail,
  useLinkToken,
} from './AccountPage.tsx'

const title = 'Choose a new password'
const submit: [string, string] = ['Reset Password', 'Resetting Password...']
const fallback: [string, string] = ['Password reset failed.', 'Password reset failed']

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
  const form = useAccountForm(
    { email: handed, code: '', newPassword: '' },
    {
      check: (values) => codeProblem(values) ?? newPasswordProblem(values.newPassword),
      async send({ email, ...rest }) {
        await resetPassword({ email: email.trim(), ...rest })
        setDone(true)
      },
      fallback,
    },
  )
  const { bind, errorOf } = form
  const email = storedEmail(form.values.email)

  if (done) return <PasswordChanged email={form.values.email} />
  return (
    <FormScreen
      title={title}
      why={
        codeSent && handed
          ? `If ${handed} has an account, a 6-digit code is on its way. It works for 15 minutes.`
          : 'Enter the 6-digit code from our email, or open the link in it. It works for 15 minutes.'
      }
      form={form}
      submit={submit}
      below={
        <Resend
          cooling={codeSent}
          missing={email === null && 'Enter your email first.'}
          onSend={() => forgotPassword(email ?? '')}
          sent={`If ${email} has an account, a new code is on its way.`}
        />
      }
    >
      <EmailField {...bind('email')} error={errorOf('email')} />
      <CodeField {...bind('code')} error={errorOf('code')} />
      <NewPasswordField label="New Password" {...bind('newPassword')} error={errorOf('newPassword')} />
    </FormScreen>
  )
}

/** Sets a new password for someone who opened an emailed link. `children` says why. */
export function NewPasswordByLink(props: { token: string; children: ReactNode }) {
  const [done, setDone] = useState(false)
  const form = useAccountForm(
    { newPassword: '' },
    {
      check: ({ newPassword }) => newPasswordProblem(newPassword),
      async send({ newPassword }) {
        await resetPasswordByLink(props.token, newPassword)
        setDone(true)
      },
      fallback,
    },
  )

  if (done) return <PasswordChanged />
  return (
    <FormScreen
      title={title}
      why={props.children}
      form={form}
      submit={submit}
      problem={<LinkProblem form={form} newFrom="/forgot-password" />}
    >
      <NewPasswordField label="New Password" {...form.bind('newPassword')} error={form.errorOf('newPassword')} />
    </FormScreen>
  )
}

const PasswordChanged = (props: { email?: string }) => (
  <Done title="Password changed" next="/dashboard/changes?made=true" email={props.email}>
    You are signed out everywhere. Sign in with your new password, and see what was added to your account.
  </Done>
)
