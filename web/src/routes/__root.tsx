import { createRootRoute, redirect } from '@tanstack/react-router'

const inside = (path: string) => /^\/dashboard(\/|$)/.test(path)
const startedInside = inside(location.pathname)

/**
 * The signed-in pages are a document of their own, since theirs alone may speak to wallets and chains: between them
 * and the rest every way is a full page load.
 */
export const Route = createRootRoute({
  beforeLoad: ({ location: { pathname, href } }) => {
    if (inside(pathname) !== startedInside) throw redirect({ href, replace: true, reloadDocument: true })
  },
})
