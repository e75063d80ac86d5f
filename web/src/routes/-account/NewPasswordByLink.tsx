import { type ReactNode, useState } from 'react'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button } from '#web/components/Button.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { resetPasswordByLink } from '#web/queries/account.ts'
import { BackToSignIn, Done, Heading, LinkProblem, NewPasswordField, newPasswordProblem } from './AccountPage.tsx'

/** Sets a new password for someone who opened an emailed link. `children` says why. */
export function NewPasswordByLink(props: { token: string; children: ReactNode }) {
  const [done, setDone] = useState(false)
  const { form, busy, general, code, errorOf, bind } = useAccountForm(
    { newPassword: '' },
    {
      check: ({ newPassword }) => newPasswordProblem(newPassword),
      async send({ newPassword }) {
        await resetPasswordByLink(props.token, newPassword)
        setDone(true)
      },
      fallback: ['Password reset failed.', 'Password reset failed'],
    },
  )

  if (done)
    return (
      <AccountFrame>
        <Done title="Password changed">You are signed out everywhere. Sign in with your new password.</Done>
      </AccountFrame>
    )
  return (
    <AccountFrame>
      <Heading title="Choose a new password">{props.children}</Heading>
      <form {...form} className="mt-5 space-y-4">
        <LinkProblem message={general} code={code}>
          <TextLink to="/forgot-password">Ask for a new link</TextLink>
        </LinkProblem>
        <NewPasswordField label="New Password" {...bind('newPassword')} error={errorOf('newPassword')} />
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Resetting Password...' : 'Reset Password'}
        </Button>
      </form>
      <BackToSignIn />
    </AccountFrame>
  )
}
