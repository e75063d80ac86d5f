import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell as Icon, LogOut, Menu, Pin, PinOff, Search, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { User } from '#schemas/account.ts'
import { Button, IconButton } from '#web/components/Button.tsx'
import { Mark } from '#web/components/Mark.tsx'
import { appName } from '#web/lib/app.ts'
import { plural } from '#web/lib/format.ts'
import { noticeCountQuery } from '#web/queries/notices.ts'
import { LazyPanelWallet } from '#web/wallet/lazyWallet.tsx'
import { leave } from './leave.ts'
import { other, pageGroups } from './pages.ts'
import { pin, usePinned } from './pinned.ts'

/** The top bar: menu, app name, search and bell. In wide windows the menu can be pinned open, to the left of the page. */
export function TopBar(props: { user: User }) {
  const [open, setOpen] = useState(false)
  const { canPin, isPinned } = usePinned()
  const opener = useRef<HTMLButtonElement>(null)
  if (isPinned)
    return (
      <>
        <aside className="fixed inset-y-0 left-0 z-20 flex w-60 flex-col border-hairline border-r bg-card">
          <Panel user={props.user} name={(name) => <p className="truncate font-semibold">{name}</p>}>
            <IconButton
              label="Unpin menu"
              // Comes with the menu that was pinned with the button in the same place.
              autoFocus={open}
              onClick={() => {
                setOpen(false)
                pin(false)
                setTimeout(() => opener.current?.focus())
              }}
            >
              <PinOff aria-hidden="true" className="size-5" />
            </IconButton>
          </Panel>
        </aside>
        <header className="sticky top-0 z-20 border-hairline border-b bg-paper">
          <Bar />
        </header>
      </>
    )
  return (
    <header className="sticky top-0 z-20 border-hairline border-b bg-paper">
      <Bar>
        <Dialog.Root open={open} onOpenChange={setOpen}>
          <Dialog.Trigger ref={opener} render={<IconButton label="Open menu" className="-ml-2 size-10!" />}>
            <Menu aria-hidden="true" className="size-5" />
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/35 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
            <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-[min(19rem,86vw)] flex-col bg-card shadow-overlay outline-none transition-transform duration-180 ease-calm data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
              <Panel
                user={props.user}
                name={(name) => <Dialog.Title className="truncate font-semibold">{name}</Dialog.Title>}
                onLeave={() => setOpen(false)}
              >
                {canPin && (
                  <IconButton label="Pin menu" onClick={() => pin(true)}>
                    <Pin aria-hidden="true" className="size-5" />
                  </IconButton>
                )}
                <Dialog.Close render={<IconButton label="Close menu" className="-mr-2" />}>
                  <X aria-hidden="true" className="size-5" />
                </Dialog.Close>
              </Panel>
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      </Bar>
    </header>
  )
}

const Bar = (props: { children?: ReactNode }) => (
  <div className="mx-auto flex h-14 max-w-[1248px] items-center gap-3 px-4 max-[340px]:gap-1 sm:px-6">
    {props.children}
    <Link to="/dashboard/overview" className="flex items-center gap-2 rounded-sm font-semibold tracking-tight">
      <Mark className="size-6" />
      {appName}
    </Link>
    <Palette />
    <Bell />
  </div>
)

/** The menu. `name` renders the user's name, `children` are the buttons beside it. */
function Panel(props: {
  user: User
  name: (name: string) => ReactNode
  children: ReactNode
  /** Called when a page is chosen. */
  onLeave?: () => void
}) {
  const { user } = props

  return (
    <>
      <div className="flex items-start justify-between gap-2 border-hairline border-b px-5 py-4">
        <div className="min-w-0">
          {props.name(user.name || user.email)}
          <p className="truncate text-muted text-small">{user.email}</p>
        </div>
        <div className="flex shrink-0">{props.children}</div>
      </div>
      <nav aria-label="Main navigation" className="flex-1 overflow-y-auto px-3 py-3">
        {pageGroups.map((group) => (
          <div key={group.name} className="mb-4">
            <h2 className="px-2 py-1 font-medium text-muted text-small">{group.name}</h2>
            <ul>
              {group.entries.map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    onClick={props.onLeave}
                    className="flex h-control items-center gap-3 rounded-control px-2 hover:bg-sunken aria-[current=page]:bg-green-tint aria-[current=page]:font-medium aria-[current=page]:text-green"
                  >
                    <Icon aria-hidden="true" className="size-5" />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="border-hairline border-t p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
        <LazyPanelWallet />
        <Button look="quiet" onClick={leave} className="w-full justify-start! gap-3! px-2!">
          <LogOut aria-hidden="true" className="size-5" />
          Sign Out
        </Button>
      </div>
    </>
  )
}

const CommandPalette = lazy(() => import('./CommandPalette.tsx'))

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** Opens the command palette with a button or Cmd/Ctrl-K, but not on top of a dialog. */
function Palette() {
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

/** Counts pending approvals and new notices, and links to both. Screen readers announce changes. */
function Bell() {
  const { pending, unread } = useQuery(noticeCountQuery).data ?? { pending: 0, unread: 0 }
  const count = pending + unread
  const parts = [pending > 0 && `${pending} waiting`, unread > 0 && `${unread} new`].filter(Boolean)
  return (
    <>
      <Link
        to={other('notices')}
        title="Notices"
        // The accessible name includes the visible count.
        aria-label={`Notices: ${count > 0 ? `${count} (${parts.join(', ')})` : 'nothing new'}`}
        className="relative -mr-2 inline-flex size-control shrink-0 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink"
      >
        <Icon aria-hidden="true" className="size-5" />
        {count > 0 && (
          <span
            aria-hidden="true"
            data-testid="bell-count"
            className="absolute top-0 left-1/2 min-w-4.5 rounded-full bg-red px-1 text-center font-medium text-[11px]/4.5 text-white"
          >
            {count}
          </span>
        )}
      </Link>
      <span role="status" className="sr-only">
        {pending > 0 && `${plural(pending, 'approval')} waiting for you. `}
        {unread > 0 && `${plural(unread, 'new notice')}.`}
      </span>
    </>
  )
}
