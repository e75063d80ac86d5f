import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import type { User } from '#schemas/account.ts'
import { actingFor, type OtherAccount } from '#web/lib/actingFor.ts'
import { accountLabel, openAccount } from '#web/lib/otherAccount.ts'
import { isSessionInMemory } from '#web/lib/tokens.ts'
import { accountsQuery } from '#web/queries/people.ts'
import { useIsIdle } from './useIsIdle.ts'

/** The accounts for which the person may act, from two on. Each opens in this tab alone. */
export default function AccountSwitcher({ user }: { user: User }) {
  const acting = actingFor()
  // Nobody's first figures wait for it.
  const isIdle = useIsIdle()
  const { data = [] } = useQuery({ ...accountsQuery, enabled: isIdle })
  const others = acting && !data.some(({ id }) => id === acting.id) ? [acting, ...data] : data
  if (others.length === 0 || isSessionInMemory()) return null
  return (
    <div className="mb-4">
      <h2 className="px-2 py-1 font-medium text-muted text-small">Accounts</h2>
      <ul>
        <Account name={user.name || user.email} note="Your own account" account={null} isCurrent={acting === null} />
        {others.map((account) => (
          <Account
            key={account.id}
            name={accountLabel(account)}
            note={account.ownerEmail}
            account={account}
            isCurrent={acting?.id === account.id}
          />
        ))}
      </ul>
    </div>
  )
}

function Account(props: { name: string; note: string; account: OtherAccount | null; isCurrent: boolean }) {
  const { name, note, account, isCurrent } = props
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent || undefined}
        onClick={() => !isCurrent && openAccount(account)}
        className="flex min-h-12 w-full items-center gap-3 rounded-control px-2 py-1 text-left hover:bg-sunken"
      >
        <span className="min-w-0 flex-1">
          <span className="block truncate">{name}</span>
          <span className="block truncate text-muted text-small">{note}</span>
        </span>
        {isCurrent && <Check aria-hidden="true" className="size-4 shrink-0 text-green" />}
      </button>
    </li>
  )
}
