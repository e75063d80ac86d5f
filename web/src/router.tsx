import { createRouter, stringifySearchWith } from '@tanstack/react-router'
import { Broken } from './components/Broken.tsx'
import { Spinner } from './components/Spinner.tsx'
import { routeTree } from './routeTree.gen.ts'

export const router = createRouter({
  // Text stays as it is, so that a link has min=2, not a quoted number.
  stringifySearch: stringifySearchWith(JSON.stringify),
  routeTree,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  scrollRestoration: true,
  defaultPendingComponent: Spinner,
  defaultErrorComponent: Broken,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
