import { useQuery } from '@tanstack/react-query'
import { createFileRoute, redirect } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { emailFormatProblem } from '#domain/emailFormat.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button } from '#web/components/Button.tsx'
import { EmailField } from '#web/components/EmailField.tsx'
import { ErrorBox, Field } from '#web/components/Field.tsx'
import { linkClass, TextLink } from '#web/components/Links.tsx'
import { PasswordInput } from '#web/components/PasswordInput.tsx'
import { forgetPathAfterSignup, pathAfterSignup } from '#web/lib/pathAfterSignup.ts'
import { connectionRequestOf, returnPathOf } from '#web/lib/search.ts'
import { getSession, signIn, useSession } from '#web/lib/session.ts'
import { tabStorage } from '#web/lib/storage.ts'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { configQuery } from '#web/queries/config.ts'

const ExpiredNotice = lazy(() => import('./-login/ExpiredNotice.tsx'))
const NewPasswordForm = lazy(() => import('./-login/NewPasswordForm.tsx'))

export const Route = createFileRoute('/login')({
  // Present even if undefined: otherwise the router passes the URL's raw value to `beforeLoad`.
  validateSearch: (search: Record<string, unknown>): { redirect?: string | undefined } => ({
    redirect: returnPathOf(search.redirect),
  }),
  beforeLoad: ({ search }) => {
    if (getSession().user) throw redirect({ href: search.redirect ?? '/dashboard/overview', replace: true })
  },
  component: LoginPage,
})

function LoginPage() {
  const { passwordChallenge, expired } = useSession()
  const { redirect: named } = Route.useSearch()
  const back = named ?? pathAfterSignup()
  const navigate = Route.useNavigate()

  const onSignedIn = () => {
    forgetPathAfterSignup()
    navigate({ href: back ?? '/dashboard/overview', replace: true })
  }

  return (
    <AccountFrame>
      <Suspense>
        {(expired || tabStorage.get('expired')) && <ExpiredNotice />}
        {passwordChallenge ? (
          <NewPasswordForm onSignedIn={onSignedIn} connectionRequest={connectionRequestOf(back)} />
        ) : (
          <SignInForm onSignedIn={onSignedIn} back={back} />
        )}
      </Suspense>
    </AccountFrame>
  )
}

/** Names what waits for the sign-in, as an app's or a terminal's request does. */
const whyOf = (back: string | undefined): string =>
  back?.startsWith('/dashboard/connect') ? 'Sign in to connect an app' : 'Sign in to your account'

/** The email and password form. A refusal is shown under the field that it names, otherwise above the form. */
function SignInForm(props: { onSignedIn: () => void; back: string | undefined }) {
  useTitle('Sign In')
  const { form, values, busy, general, code, errorOf, bind } = useAccountForm(
    // What the previous screen passed on. (The hook for it is in the chunk of those screens.)
    { email: history.state?.email ?? '', password: '' },
    {
      check({ email, password }) {
        if (!email.trim()) return { field: 'email' }
        if (!password) return { field: 'password' }
        const invalid = emailFormatProblem(email)
        if (invalid) return { field: 'email', message: invalid }
        return password.length < 6 ? { field: 'password', message: 'Password must be at least 6 characters' } : null
      },
      async send({ email, password }) {
        await signIn(email.trim(), password, connectionRequestOf(props.back))
        if (getSession().user) props.onSignedIn()
      },
      fallback: ['Login failed. Please check your credentials.', 'Login failed'],
    },
  )
  const config = useQuery(configQuery).data
  const email = values.email.trim()

  return (
    <>
      <h1 className="font-semibold text-title">Welcome Back</h1>
      <p className="text-muted">{whyOf(props.back)}</p>
      <form {...form} className="mt-5 space-y-4">
        {general && <ErrorBox>{general}</ErrorBox>}
        <EmailField
          {...bind('email')}
          error={errorOf('email')}
          hint={
            code === 'forbidden' && (
              <TextLink to="/confirm" email={email}>
                Enter your confirmation code
              </TextLink>
            )
          }
        />
        <Field label="Password" error={errorOf('password')}>
          {(control) => (
            <PasswordInput {...control} {...bind('password')} autoComplete="current-password" minLength={6} required />
          )}
        </Field>
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Signing In...' : 'Sign In'}
        </Button>
      </form>
      <div className="mt-5 space-y-2 text-center text-muted text-small">
        <p>
          <TextLink to="/forgot-password" email={email}>
            Forgot password?
          </TextLink>
        </p>
        {config?.betaAccessUrl !== null && (
          // Reserves the space until the URL is known.
          <p className={config ? '' : 'invisible'}>
            Don't have an account?{' '}
            <a href={config?.betaAccessUrl} target="_blank" rel="noopener noreferrer" className={linkClass}>
              Request beta access
            </a>
          </p>
        )}
        <p>
          Have a signup passcode?{' '}
          <TextLink to="/signup" email={email}>
            Create an account
          </TextLink>
        </p>
      </div>
    </>
  )
}
