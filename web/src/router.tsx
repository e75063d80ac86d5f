import { createRouter } from '@tanstack/react-router'
import { Button } from './components/Button.tsx'
import { Spinner } from './components/Spinner.tsx'
import { routeTree } from './routeTree.gen.ts'

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
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

/** Shown when a page can't be rendered, most often because a newer release has replaced one of its files. */
function Broken() {
  return (
    <div role="alert" className="flex min-h-[60dvh] flex-col items-center justify-center gap-3 px-5 text-center">
      <p className="font-semibold">This page could not be shown.</p>
      <p className="max-w-md text-muted">
        There may be a newer version. Reload to get it; payments in progress are not affected.
      </p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  )
}
