import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Bell as Icon, Menu, PinOff, Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { User } from '#schemas/account.ts'
import { IconButton } from '#web/components/IconButton.tsx'
import { Mark } from '#web/components/Mark.tsx'
import { actingFor } from '#web/lib/actingFor.ts'
import { appName } from '#web/lib/app.ts'
import { plural } from '#web/lib/format.ts'
import { accountLabel } from '#web/lib/otherAccount.ts'
import { noticeCountQuery } from '#web/queries/notices.ts'
import { MenuPanel } from './MenuPanel.tsx'
import { other } from './pages.ts'
import { pin, usePinned } from './pinnedMenu.ts'

const MenuDrawer = lazy(() => import('./MenuDrawer.tsx'))

/** The top bar: menu, app name, search and bell. In wide windows the menu can be pinned open, to the left of the page. */
export function TopBar(props: { user: User }) {
  /** Undefined before the menu was first opened: its code is not needed until then. */
  const [open, setOpen] = useState<boolean>()
  const { canPin, isPinned } = usePinned()
  // A menu that is open stays, with what is open above it, when the window gets wider.
  const isBeside = isPinned && !open
  /** The button that opens the menu, or the one that unpins it. */
  const button = useRef<HTMLButtonElement>(null)
  const turn = (pinned: boolean) => {
    setOpen(false)
    pin(pinned)
    setTimeout(() => button.current?.focus())
  }
  return (
    <>
      {isBeside && (
        <aside className="fixed inset-y-0 left-0 z-20 flex w-60 flex-col border-hairline border-r bg-card">
          <MenuPanel user={props.user} name={(name) => <p className="truncate font-semibold">{name}</p>}>
            <IconButton ref={button} label="Unpin menu" onClick={() => turn(false)}>
              <PinOff aria-hidden="true" className="size-5" />
            </IconButton>
          </MenuPanel>
        </aside>
      )}
      <header className="sticky top-0 z-20 border-hairline border-b bg-paper">
        <div
          className={clsx(
            'mx-auto flex max-w-[1248px] items-center gap-3 px-4 max-[340px]:gap-1 sm:h-14 sm:px-6',
            actingFor() ? 'max-sm:min-h-14 max-sm:flex-wrap max-sm:gap-y-0.5 max-sm:py-1.5' : 'h-14',
          )}
        >
          {!isBeside && (
            <>
              <IconButton
                ref={button}
                label="Open menu"
                aria-haspopup="dialog"
                aria-expanded={open === true}
                className="-ml-2 size-10!"
                onClick={() => setOpen(true)}
              >
                <Menu aria-hidden="true" className="size-5" />
              </IconButton>
              <Suspense>
                {open !== undefined && (
                  <MenuDrawer
                    user={props.user}
                    open={open}
                    setOpen={setOpen}
                    opener={button}
                    onPin={canPin ? () => turn(true) : null}
                  />
                )}
              </Suspense>
            </>
          )}
          <Link to="/dashboard/overview" className="flex items-center gap-2 rounded-sm font-semibold tracking-tight">
            <Mark className="size-6" />
            {appName}
          </Link>
          <WhoseAccount />
          <Palette />
          <Bell />
        </div>
      </header>
    </>
  )
}

/** Whose account is on screen, if it is not one's own; firstFigures.ts draws the same. */
function WhoseAccount() {
  const account = actingFor()
  if (!account) return null
  return (
    <p className="min-w-0 truncate rounded-control bg-sunken px-3 py-1 text-small max-sm:order-last max-sm:basis-full">
      <span className="sr-only">You act for </span>
      <span className="font-medium">{accountLabel(account)}</span>
      {account.name !== null && <span className="text-muted"> {account.ownerEmail}</span>}
    </p>
  )
}

const CommandPalette = lazy(() => import('./CommandPalette.tsx'))

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** Opens the command palette with a button or Cmd/Ctrl-K, but not on top of a dialog. */
function Palette() {
  const [open, setOpen] = useState(false)
  const typed = useRef('')
  const close = useCallback(() => {
    typed.current = ''
    setOpen(false)
  }, [])

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      typed.current = ''
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
        <kbd
          translate="no"
          className="rounded-sm border border-hairline px-1.5 font-sans text-small max-sm:hidden pointer-coarse:hidden"
        >
          {isMac ? '⌘K' : 'Ctrl K'}
        </kbd>
      </button>
      <Suspense fallback={<KeepTyped typed={typed} onClose={close} />}>
        {open && <CommandPalette typed={typed} onClose={close} />}
      </Suspense>
    </>
  )
}

/** Until the palette's code is there, its keys are collected for it, and do nothing on the page below. */
function KeepTyped({ typed, onClose }: { typed: { current: string }; onClose: () => void }) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Escape') onClose()
      else if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1)
      else if (event.key.length === 1) typed.current += event.key
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown, true)
    return () => removeEventListener('keydown', onKeyDown, true)
  }, [typed, onClose])
  return null
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
        {[
          pending > 0 && `${plural(pending, 'approval')} waiting for you.`,
          unread > 0 && `${plural(unread, 'new notice')}.`,
        ]
          .filter(Boolean)
          .join(' ')}
      </span>
    </>
  )
}
