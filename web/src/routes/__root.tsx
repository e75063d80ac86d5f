import { createRootRoute, redirect } from '@tanstack/react-router'

const inside = (path: string) => /^\/dashboard(\/|$)/.test(path)
const startedInside = inside(location.pathname)

/**
 * Only the signed-in pages may connect to wallets and chains, by their content security policy. A document keeps the
 * policy it was loaded with, so navigation into and out of them is a full page load.
 */
export const Route = createRootRoute({
  beforeLoad: ({ location: { pathname, href } }) => {
    if (inside(pathname) !== startedInside) throw redirect({ href, replace: true, reloadDocument: true })
  },
})
