import { createRootRoute, redirect } from '@tanstack/react-router'
import { isSessionInMemory } from '../lib/tokens.ts'

const inside = (path: string) => /^\/dashboard(\/|$)/.test(path)
const startedInside = inside(location.pathname)

/**
 * The content security policy lets only dashboard pages connect to wallets and chains. A document keeps the policy it was
 * loaded with, so navigating into or out of the dashboard is a full page load. That would lose a session which the browser
 * does not store: the dashboard then works in the sign-in page's document, except for wallets.
 */
export const Route = createRootRoute({
  beforeLoad: ({ location: { pathname, href } }) => {
    if (inside(pathname) !== startedInside && (startedInside || !isSessionInMemory()))
      throw redirect({ href, replace: true, reloadDocument: true })
  },
})
