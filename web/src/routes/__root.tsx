import { createRootRoute, redirect } from '@tanstack/react-router'

const inside = (path: string) => /^\/dashboard(\/|$)/.test(path)
const startedInside = inside(location.pathname)

/**
 * The content security policy lets only dashboard pages connect to wallets and chains. A document keeps the policy it was
 * loaded with, so navigating into or out of the dashboard is a full page load.
 */
export const Route = createRootRoute({
  beforeLoad: ({ location: { pathname, href } }) => {
    if (inside(pathname) !== startedInside) throw redirect({ href, replace: true, reloadDocument: true })
  },
})
