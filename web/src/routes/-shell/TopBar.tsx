import { Dialog } from '@base-ui/react/dialog'
import { Link } from '@tanstack/react-router'
import { LogOut, Menu, X } from 'lucide-react'
import { useState } from 'react'
import type { User } from '#schemas/account.ts'
import { Button, IconButton } from '#web/components/Button.tsx'
import { Mark } from '#web/components/Mark.tsx'
import { appName } from '#web/lib/app.ts'
import { LazyPanelWallet } from '#web/wallet/lazyWallet.tsx'
import { Bell } from './Bell.tsx'
import { leave } from './leave.ts'
import { Palette } from './Palette.tsx'
import { pageGroups } from './pages.ts'

/** The top bar: menu, app name, search and bell. */
export function TopBar(props: { user: User }) {
  const [open, setOpen] = useState(false)
  return (
    <header className="sticky top-0 z-20 border-hairline border-b bg-paper">
      <div className="mx-auto flex h-14 max-w-[1248px] items-center gap-3 px-4 max-[340px]:gap-1 sm:px-6">
        <Dialog.Root open={open} onOpenChange={setOpen}>
          <Dialog.Trigger render={<IconButton label="Open menu" className="-ml-2 size-10!" />}>
            <Menu aria-hidden="true" className="size-5" />
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/35 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
            <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-[min(19rem,86vw)] flex-col bg-card shadow-overlay outline-none transition-transform duration-180 ease-calm data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
              <Panel user={props.user} onClose={() => setOpen(false)} />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        <Link to="/dashboard/overview" className="flex items-center gap-2 rounded-sm font-semibold tracking-tight">
          <Mark className="size-6" />
          {appName}
        </Link>
        <Palette />
        <Bell />
      </div>
    </header>
  )
}

function Panel(props: { user: User; onClose: () => void }) {
  const { user } = props

  return (
    <>
      <div className="flex items-start justify-between gap-2 border-hairline border-b px-5 py-4">
        <div className="min-w-0">
          <Dialog.Title className="truncate font-semibold">{user.name || user.email}</Dialog.Title>
          <p className="truncate text-muted text-small">{user.email}</p>
        </div>
        <Dialog.Close render={<IconButton label="Close menu" className="-mr-2" />}>
          <X aria-hidden="true" className="size-5" />
        </Dialog.Close>
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
                    onClick={props.onClose}
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
