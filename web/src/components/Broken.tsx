import { Button } from './Button.tsx'

/** Shown when a page can't be rendered, most often because a newer release has replaced one of its files. */
export function Broken() {
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
