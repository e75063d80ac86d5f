import { createFileRoute, redirect } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { AccountFrame } from '../components/AccountFrame.tsx'
import { returnPathOf } from '../lib/search.ts'
import { getSession, useSession } from '../lib/session.ts'
import { useTitle } from '../lib/useTitle.ts'
import { SignInForm } from './-login/SignInForm.tsx'

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
  const { redirect: back } = Route.useSearch()
  const navigate = Route.useNavigate()
  useTitle(passwordChallenge ? 'Set New Password' : 'Sign In')

  const onSignedIn = () => navigate({ href: back ?? '/dashboard/overview', replace: true })

  return (
    <AccountFrame>
      <Suspense>
        {expired && <ExpiredNotice />}
        {passwordChallenge ? <NewPasswordForm onSignedIn={onSignedIn} /> : <SignInForm onSignedIn={onSignedIn} />}
      </Suspense>
    </AccountFrame>
  )
}
