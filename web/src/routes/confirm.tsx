import { createFileRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { storedEmail } from '#domain/email.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { buttonClass } from '#web/components/Button.tsx'
import { Resend } from '#web/components/Code.tsx'
import { EmailField } from '#web/components/EmailField.tsx'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type Confirmation, confirmByLink, confirmEmail, resendCode } from '#web/queries/account.ts'
import {
  CodeField,
  codeProblem,
  Done,
  FormScreen,
  Heading,
  LinkProblem,
  useCodeSent,
  useHandedEmail,
  useLinkToken,
} from './-account/AccountPage.tsx'
import { NewPasswordByLink } from './-account/ResetPasswordScreen.tsx'

export const Route = createFileRoute('/confirm')({ component: ConfirmScreen })

const title = 'Confirm your email'
const submit: [string, string] = ['Confirm Email', 'Confirming...']
const fallback: [string, string] = ['Email confirmation failed.', 'Email confirmation failed']

/** `email` is unknown if the email was confirmed by its link. */
type Confirmed = Confirmation & { email?: string }
type Props = { onConfirmed: (confirmed: Confirmed) => void }

/** Confirms an email address by the link or the code in our email. */
function ConfirmScreen() {
  const linkToken = useLinkToken()
  useTitle(title)
  // The key resets the steps: a link may be opened in a tab that still shows the end of an earlier confirmation.
  return <ConfirmSteps key={linkToken} linkToken={linkToken} />
}

function ConfirmSteps({ linkToken }: { linkToken: string | null }) {
  const [confirmation, setConfirmation] = useState<Confirmed | null>(null)
  if (confirmation) return <ConfirmedScreen {...confirmation} />
  if (linkToken) return <ConfirmByLink token={linkToken} onConfirmed={setConfirmation} />
  return <ConfirmByCode onConfirmed={setConfirmation} />
}

function ConfirmedScreen({ passwordKept, resetToken, email }: Confirmed) {
  if (passwordKept)
    return (
      <Done title="Email confirmed" email={email}>
        Your account is ready. Sign in with the password you chose.
      </Done>
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

/** Confirms an email address by an emailed link. Only the button confirms, so prefetching the link changes nothing. */
function ConfirmByLink(props: Props & { token: string }) {
  const form = useAccountForm(
    {},
    { check: () => null, send: async () => props.onConfirmed(await confirmByLink(props.token)), fallback },
  )
  return (
    <FormScreen
      title={title}
      why="Did you sign up with the email address that got this link?"
      form={form}
      submit={submit}
      problem={<LinkProblem form={form} newFrom="/confirm" />}
    />
  )
}

function ConfirmByCode(props: Props) {
  const form = useAccountForm(
    { email: useHandedEmail(), code: '' },
    {
      check: codeProblem,
      async send({ email, code }) {
        props.onConfirmed({ ...(await confirmEmail(email.trim(), code)), email: email.trim() })
      },
      fallback,
    },
  )
  const codeSent = useCodeSent()
  const email = storedEmail(form.values.email)

  return (
    <FormScreen
      title={title}
      why="Enter the 6-digit code from our email to you, or open the link in it."
      form={form}
      submit={submit}
      below={
        <Resend
          cooling={codeSent}
          missing={email === null && 'Enter your email first.'}
          onSend={() => resendCode(email ?? '')}
          sent={`If ${email} is waiting for confirmation, a new code is on its way.`}
        />
      }
    >
      <EmailField {...form.bind('email')} error={form.errorOf('email')} />
      <CodeField {...form.bind('code')} error={form.errorOf('code')} />
    </FormScreen>
  )
}
