import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'

const CommandPalette = lazy(() => import('./CommandPalette.tsx'))

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** Opens the command palette with a button or Cmd/Ctrl-K, but not on top of a dialog. */
export function Palette() {
  const [open, setOpen] = useState(false)

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen((now) => !now && document.querySelector('[role=dialog], [role=alertdialog]') === null)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
        className="ml-auto inline-flex h-control items-center gap-2 rounded-control px-3 text-muted hover:bg-sunken hover:text-ink max-[340px]:px-1.5"
      >
        <Search aria-hidden="true" className="size-4" />
        Search
        <kbd className="rounded-sm border border-hairline px-1.5 font-sans text-small max-sm:hidden pointer-coarse:hidden">
          {isMac ? '⌘K' : 'Ctrl K'}
        </kbd>
      </button>
      <Suspense>{open && <CommandPalette onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
