import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { emailProblem } from '#domain/email.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Resend } from '#web/components/Code.tsx'
import { EmailField, ErrorBox } from '#web/components/Field.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type Confirmation, confirmEmail, resendCode } from '#web/queries/account.ts'
import {
  BackToSignIn,
  CodeField,
  codeProblem,
  Done,
  Heading,
  useCodeSent,
  useHandedEmail,
  useLinkToken,
} from './AccountPage.tsx'
import { ConfirmByLink } from './ConfirmByLink.tsx'
import { NewPasswordByLink } from './NewPasswordByLink.tsx'

/** Confirms an email address by the link or the code in our email. */
export function ConfirmScreen() {
  const linkToken = useLinkToken()
  useTitle('Confirm your email')
  // The key resets the steps: a link may be opened in a tab that still shows the end of an earlier confirmation.
  return <ConfirmSteps key={linkToken} linkToken={linkToken} />
}

function ConfirmSteps({ linkToken }: { linkToken: string | null }) {
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null)
  if (confirmation) return <Confirmed {...confirmation} />
  if (linkToken) return <ConfirmByLink token={linkToken} onConfirmed={setConfirmation} />
  return <ConfirmByCode onConfirmed={setConfirmation} />
}

function Confirmed({ passwordKept, resetToken }: Confirmation) {
  if (passwordKept)
    return (
      <AccountFrame>
        <Done title="Email confirmed">Your account is ready. Sign in with the password you chose.</Done>
      </AccountFrame>
    )
  const why = 'Your email is confirmed. It was signed up more than once, so the passwords chosen then do not work.'
  if (resetToken) return <NewPasswordByLink token={resetToken}>{why}</NewPasswordByLink>
  return (
    <AccountFrame>
      <Heading title="Choose a new password">{why}</Heading>
      <Link to="/forgot-password" className={buttonClass('primary', 'mt-5 w-full')}>
        Reset Password
      </Link>
    </AccountFrame>
  )
}

function ConfirmByCode(props: { onConfirmed: (confirmation: Confirmation) => void }) {
  const { form, values, busy, general, errorOf, bind } = useAccountForm(
    { email: useHandedEmail(), code: '' },
    {
      check({ email, code }) {
        const invalid = emailProblem(email)
        return invalid ? { field: 'email', message: invalid } : codeProblem(code)
      },
      async send({ email, code }) {
        props.onConfirmed(await confirmEmail(email.trim(), code))
      },
      fallback: ['Email confirmation failed.', 'Email confirmation failed'],
    },
  )
  const codeSent = useCodeSent()
  const email = values.email.trim()

  return (
    <AccountFrame>
      <Heading title="Confirm your email">
        Enter the 6-digit code from our email to you, or open the link in it.
      </Heading>
      <form {...form} className="mt-5 space-y-4">
        {general && <ErrorBox>{general}</ErrorBox>}
        <EmailField {...bind('email')} error={errorOf('email')} />
        <CodeField {...bind('code')} error={errorOf('code')} />
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Confirming...' : 'Confirm Email'}
        </Button>
      </form>
      <div className="mt-3">
        <Resend
          cooling={codeSent}
          disabled={emailProblem(email) !== null}
          onSend={() => resendCode(email)}
          sent={`If ${email} is waiting for confirmation, a new code is on its way.`}
        />
      </div>
      <BackToSignIn />
    </AccountFrame>
  )
}
