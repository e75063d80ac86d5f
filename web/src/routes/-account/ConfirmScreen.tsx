import { useState } from 'react'
import { emailProblem } from '../../../../worker/domain/email.ts'
import { AccountFrame } from '../../components/AccountFrame.tsx'
import { Button } from '../../components/Button.tsx'
import { EmailField, ErrorBox } from '../../components/Field.tsx'
import { Resend } from '../../components/Resend.tsx'
import { useFields } from '../../lib/form.ts'
import { useTitle } from '../../lib/hooks.ts'
import { confirmEmail, resendCode } from '../../queries/account.ts'
import { BackToSignIn, CodeField, codeProblem, Done, Heading, useCodeSent, useHandedEmail } from './parts.tsx'

/** The code of the confirmation mail. */
export function ConfirmScreen() {
  const [done, setDone] = useState(false)
  useTitle('Confirm your email')

  const { form, values, busy, general, errorOf, bind } = useFields(
    { email: useHandedEmail(), code: '' },
    {
      check({ email, code }) {
        const invalid = emailProblem(email)
        return invalid ? { field: 'email', message: invalid } : codeProblem(code)
      },
      async send({ email, code }) {
        await confirmEmail(email.trim(), code)
        setDone(true)
      },
      fallback: ['Email confirmation failed.', 'Email confirmation failed'],
    },
  )
  const codeSent = useCodeSent()
  const email = values.email.trim()

  if (done)
    return (
      <AccountFrame>
        <Done title="Email confirmed">Your account is ready. Sign in with the password you chose.</Done>
      </AccountFrame>
    )
  return (
    <AccountFrame>
      <Heading title="Confirm your email">Enter the 6-digit code from our email to you.</Heading>
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
          sent={`If ${email} still waits for a code, a new one is on its way.`}
        />
      </div>
      <BackToSignIn />
    </AccountFrame>
  )
}
