import { useQuery } from '@tanstack/react-query'
import type { CSSProperties, ReactNode } from 'react'
import type { ListFigure } from '#domain/lists.ts'
import { Balance, useUnit } from '#web/components/Amount.tsx'
import { Ago } from '#web/components/Time.tsx'
import { cutAmount, formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { contactsQuery } from '#web/queries/contacts.ts'
import { refreshMs, WidgetError, WidgetLink, WidgetLoading, type WidgetProps } from './WidgetParts.tsx'

const whole = (count: number) => count.toLocaleString('en-US')
const usd = (amount: string) => `$${formatAmount(amount)}`

/** A number as large as fits, a note and a link. */
function Figure(props: {
  value: string
  /** Shown instead of `value`: the same digits, with the unit if there is room. */
  children?: ReactNode
  note: ReactNode
  /** The page with more, and what is to be seen there if not what the page is named after. */
  page: 'agents' | 'contacts' | 'payouts' | 'transactions' | 'usage' | 'wallets'
  pageShows?: string
  search?: { figure: ListFigure } | { status: string }
  title?: string
}) {
  return (
    <>
      <p
        className="my-auto flex min-h-10 items-center font-semibold text-fit"
        style={{ '--digits': props.value.length } as CSSProperties}
        title={props.title}
      >
        {props.children ?? props.value}
      </p>
      <p className="text-pretty text-muted text-small">{props.note}</p>
      <WidgetLink to={`/dashboard/${props.page}`} {...(props.search && { search: props.search })}>
        View {props.pageShows ?? props.page}
      </WidgetLink>
    </>
  )
}

export function TotalBalance({ overview }: WidgetProps) {
  const { totalBalance, balanceAsOf, held } = overview
  const unit = unitOf(usePrimaryChain())
  return (
    <Figure
      value={`$${cutAmount(totalBalance)}`}
      note={
        <>
          <span className="block @min-3xs:hidden">{unit}</span>
          {balanceAsOf !== null ? (
            <>
              As of <Ago iso={balanceAsOf} />
            </>
          ) : held === '0' ? (
            'Nothing held for payments'
          ) : (
            `${usd(held)} held for payments`
          )}
        </>
      }
      page="wallets"
    >
      <span data-testid="total-balance">
        <Balance value={totalBalance} className="[&>span]:@max-3xs:hidden" />
      </span>
    </Figure>
  )
}

export const ActiveAgents = ({ overview }: WidgetProps) => (
  <Figure value={whole(overview.activeAgentCount)} note={`of ${plural(overview.agentCount, 'agent')}`} page="agents" />
)

export const Transactions = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.transactionCount)}
    note={`${whole(overview.confirmed)} completed`}
    page="transactions"
    search={{ figure: 'payments' }}
  />
)

export const PolicyGroups = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.groupCount)}
    note={`for ${plural(overview.agentCount, 'agent')}`}
    page="agents"
    pageShows="policy groups"
  />
)

export const SuccessRate = ({ overview }: WidgetProps) => (
  <Figure
    value={overview.successRate === null ? 'N/A' : `${overview.successRate}%`}
    note={
      overview.successRate === null
        ? 'No payment has finished yet'
        : `${whole(overview.confirmed)} completed, ${whole(overview.failed)} failed`
    }
    page="transactions"
    search={{ figure: 'ended' }}
  />
)

export const TotalSpent = ({ overview }: WidgetProps) => {
  const unit = useUnit()
  return (
    <Figure
      value={usd(overview.totalSpent)}
      title={`${formatAmount(overview.totalSpent)} ${unit}`}
      note="Without reclaimed payouts"
      page="usage"
    />
  )
}

export const AverageTransaction = ({ overview }: WidgetProps) => (
  <Figure
    value={overview.average === null ? 'N/A' : usd(overview.average)}
    note={
      overview.average === null ? 'No completed payment yet' : `of ${plural(overview.confirmed, 'completed payment')}`
    }
    page="transactions"
    search={{ figure: 'completed' }}
  />
)

export function Contacts() {
  const { data, error, refetch } = useQuery({ ...contactsQuery({ page: 1, pageSize: 1 }), refetchInterval: refreshMs })
  if (!data) return error ? <WidgetError error={error} onRetry={() => refetch()} /> : <WidgetLoading />
  const { total } = data.page
  return <Figure value={whole(total)} note={total === 0 ? 'No contacts yet' : 'in your address book'} page="contacts" />
}

export const Wallets = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.walletCount)}
    note={overview.walletCount === 0 ? 'None yet' : 'on Base'}
    page="wallets"
  />
)

export const PendingPayouts = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.pendingPayouts.count)}
    note={
      overview.pendingPayouts.count === 0 ? 'Nothing unclaimed' : `${usd(overview.pendingPayouts.amount)} unclaimed`
    }
    page="payouts"
    search={{ status: 'CREATING,CREATED' }}
  />
)

export const Failed = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.failedToday)}
    note="in the last 24 hours"
    page="transactions"
    search={{ figure: 'failed_24h' }}
  />
)
