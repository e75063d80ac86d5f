import { Link } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import type { User } from '#schemas/account.ts'
import { Button } from '#web/components/Button.tsx'
import { useAllowed } from '#web/queries/people.ts'
import { LazyPanelWallet } from '#web/wallet/lazyWallet.tsx'
import { leave } from './leave.ts'
import { pagesFor } from './pages.ts'

/** Of use only to those with two accounts. */
const AccountSwitcher = lazy(() => import('./AccountSwitcher.tsx'))

/** The menu. `name` renders the user's name, `children` are the buttons beside it. */
export function MenuPanel(props: {
  user: User
  name: (name: string) => ReactNode
  children: ReactNode
  /** Called when a page is chosen. */
  onLeave?: () => void
}) {
  const { user } = props
  const isAllowed = useAllowed()

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
        <Suspense>
          <AccountSwitcher user={user} />
        </Suspense>
        {pagesFor(isAllowed).map((group) => (
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
