import { Button } from './Button.tsx'

/** When a page can't be drawn: most often a part of it that a newer release has replaced. */
export function Broken() {
  return (
    <div role="alert" className="flex min-h-[60dvh] flex-col items-center justify-center gap-3 px-5 text-center">
      <p className="font-semibold">This page could not be shown.</p>
      <p className="max-w-md text-muted">
        There may be a newer version. Reloading gets it; payments under way are not affected.
      </p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  )
}
