import { useQuery } from '@tanstack/react-query'
import { createFileRoute, redirect, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { emailProblem, storedEmail } from '#domain/email.ts'
import { passwordMin, tooShort } from '#domain/passwordLength.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { EmailField } from '#web/components/EmailField.tsx'
import { Field, Input } from '#web/components/Field.tsx'
import { appName } from '#web/lib/app.ts'
import { keptInvitation } from '#web/lib/invitation.ts'
import { keepPathAfterSignup } from '#web/lib/keepPathAfterSignup.ts'
import { getSession } from '#web/lib/session.ts'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { signUp, signUpWithPasscode } from '#web/queries/account.ts'
import { configQuery } from '#web/queries/config.ts'
import { BackToSignIn, Done, FormScreen, Heading, NewPasswordField, useHandedEmail } from './-account/AccountPage.tsx'

export const Route = createFileRoute('/signup')({
  beforeLoad() {
    if (getSession().user) throw redirect({ to: '/dashboard/overview', replace: true })
  },
  component: SignupScreen,
})

const ways = { passcode: 'Signup passcode', password: 'Own password' } as const
type Way = keyof typeof ways

/** Signs up with a passcode, for a temporary password by email, or with a password that the user chooses. */
function SignupScreen() {
  const invitation = keptInvitation()
  const [way, setWay] = useState<Way>(invitation ? 'password' : 'passcode')
  const config = useQuery(configQuery).data
  const needsPasscode = way === 'passcode' || (config?.signUp === 'passcode' && !invitation)
  const [done, setDone] = useState<{ email: string; text: string } | null>(null)
  const navigate = useNavigate()
  useTitle('Create an account')

  const form = useAccountForm(
    { email: useHandedEmail(), name: '', signupPasscode: '', password: '' },
    {
      check({ email, name, signupPasscode, password }) {
        const invalid = emailProblem(email)
        if (invalid) return { field: 'email', message: invalid }
        if (!name.trim()) return { field: 'name', message: 'Please enter your name' }
        if (needsPasscode && !signupPasscode.trim())
          return { field: 'signupPasscode', message: 'Signup passcode is required' }
        if (way === 'passcode') return null
        return password.length < passwordMin.chosen
          ? { field: 'password', message: tooShort(passwordMin.chosen) }
          : null
      },
      async send({ signupPasscode, password, ...rest }) {
        const [email, name] = [storedEmail(rest.email) ?? '', rest.name.trim()]
        keepPathAfterSignup()
        if (way === 'passcode')
          return setDone({ email, text: await signUpWithPasscode({ email, name, signupPasscode }) })
        const admission = needsPasscode ? { signupPasscode } : invitation && { invitation }
        const { userConfirmed } = await signUp({ email, name, password, ...admission })
        if (userConfirmed) setDone({ email, text: 'Account created! You can sign in now.' })
        else navigate({ to: '/confirm', search: true, state: { email, codeSent: true } })
      },
      fallback: ['Signup failed. Please try again.', 'Signup failed'],
    },
  )

  const { bind, errorOf } = form

  if (done)
    return (
      <Done title={`Welcome to ${appName}`} email={done.email}>
        {done.text}
      </Done>
    )
  if (config?.signUp === 'closed')
    return (
      <AccountFrame>
        <Heading title="Sign-up is closed">New accounts can’t be created at the moment.</Heading>
        <BackToSignIn />
      </AccountFrame>
    )
  return (
    <FormScreen
      title="Create an account"
      why={
        invitation
          ? 'Use the email address that got the invitation. Then you can join.'
          : 'With a passcode you were given, or a password you choose.'
      }
      form={form}
      submit={['Create Account', 'Creating Account...']}
    >
      <WayChoice way={way} disabled={form.busy} onChange={setWay} />
      <EmailField {...bind('email')} error={errorOf('email')} />
      <Field label="Your Name" error={errorOf('name')}>
        {(control) => <Input {...control} {...bind('name')} autoComplete="name" required />}
      </Field>
      {needsPasscode && (
        <Field
          label="Signup passcode"
          error={errorOf('signupPasscode')}
          {...(way === 'passcode' && {
            hint: 'We send a temporary password to your email. You choose your own when you first sign in.',
          })}
        >
          {(control) => (
            <Input
              {...control}
              {...bind('signupPasscode')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              required
            />
          )}
        </Field>
      )}
      {way === 'password' && <NewPasswordField label="Password" {...bind('password')} error={errorOf('password')} />}
    </FormScreen>
  )
}

function WayChoice(props: { way: Way; disabled: boolean; onChange: (way: Way) => void }) {
  return (
    <fieldset disabled={props.disabled}>
      <legend className="mb-1 font-medium text-small">Sign up with</legend>
      <div className="grid grid-cols-2 gap-1 rounded-control bg-sunken p-1">
        {(Object.keys(ways) as Way[]).map((way) => (
          <label
            key={way}
            className="flex h-control items-center justify-center rounded-[6px] px-2 text-center text-small has-checked:bg-card has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-green has-checked:ring-1 has-checked:ring-control"
          >
            <input
              type="radio"
              name="way"
              value={way}
              className="sr-only"
              checked={way === props.way}
              onChange={() => props.onChange(way)}
            />
            {ways[way]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
