import { createFileRoute, redirect } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { AccountFrame } from '../components/AccountFrame.tsx'
import { useTitle } from '../lib/hooks.ts'
import { returnPathOf } from '../lib/search.ts'
import { getSession, useSession } from '../lib/session.ts'
import { SignInForm } from './-login/SignInForm.tsx'

const NewPasswordForm = lazy(() => import('./-login/NewPasswordForm.tsx'))

export const Route = createFileRoute('/login')({
  // Named even when undefined: the router hands `beforeLoad` whatever stands in the URL and is not overwritten here.
  validateSearch: (search: Record<string, unknown>): { redirect?: string | undefined } => ({
    redirect: returnPathOf(search.redirect),
  }),
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
    <AccountFrame>
      <Suspense>
        {passwordChallenge ? <NewPasswordForm onSignedIn={onSignedIn} /> : <SignInForm onSignedIn={onSignedIn} />}
      </Suspense>
    </AccountFrame>
  )
}
