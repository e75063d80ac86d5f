import { createFileRoute, redirect } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Mark } from '../components/Mark.tsx'
import { appName, tagline } from '../lib/app.ts'
import { useTitle } from '../lib/hooks.ts'
import { getSession, useSession } from '../lib/session.ts'
import { SignInForm } from './-login/SignInForm.tsx'

const NewPasswordForm = lazy(() => import('./-login/NewPasswordForm.tsx'))

export const Route = createFileRoute('/login')({
  // Only a path of the signed-in area may be returned to.
  validateSearch: (search: Record<string, unknown>): { redirect?: string } =>
    typeof search.redirect === 'string' && /^\/dashboard(\/|\?|$)/.test(search.redirect)
      ? { redirect: search.redirect }
      : {},
  beforeLoad: ({ search }) => {
    if (getSession().user) throw redirect({ href: search.redirect ?? '/dashboard/overview', replace: true })
  },
  component: LoginPage,
})

function LoginPage() {
  const { passwordChallenge } = useSession()
  const { redirect: back } = Route.useSearch()
  const navigate = Route.useNavigate()
  useTitle(passwordChallenge ? 'Set New Password' : 'Sign In')

  const onSignedIn = () => navigate({ href: back ?? '/dashboard/overview', replace: true })

  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-[440px]">
        <div className="mb-6 flex flex-col items-center text-center">
          <Mark className="size-11" />
          <p className="mt-2 font-semibold text-title tracking-tight">{appName}</p>
          <p className="text-muted">{tagline}</p>
        </div>
        <div className="rounded-card border border-hairline bg-card p-6 sm:p-8">
          <Suspense>
            {passwordChallenge ? <NewPasswordForm onSignedIn={onSignedIn} /> : <SignInForm onSignedIn={onSignedIn} />}
          </Suspense>
        </div>
      </div>
    </main>
  )
}
