import { createFileRoute, redirect } from '@tanstack/react-router'
import { searchOf, textOf } from '../lib/search.ts'
import { getSession } from '../lib/session.ts'
import { Shell } from './-shell/Shell.tsx'

export const Route = createFileRoute('/dashboard')({
  /** `onramp=success`: the user returns from buying USDC. `account`: the account that a link in a message is about. */
  validateSearch: (search: Record<string, unknown>) =>
    searchOf({ onramp: textOf(search.onramp), account: textOf(search.account) }),
  beforeLoad: ({ location }) => {
    const { user, expired } = getSession()
    if (!user && !expired) throw redirect({ to: '/login', search: { redirect: location.href }, replace: true })
  },
  component: Shell,
})
