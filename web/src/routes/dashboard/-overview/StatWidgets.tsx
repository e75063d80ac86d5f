import { useQuery } from '@tanstack/react-query'
import type { CSSProperties, ReactNode } from 'react'
import type { FigureName } from '#domain/figures.ts'
import { Balance, useUnit } from '#web/components/Amount.tsx'
import { Ago } from '#web/components/Time.tsx'
import { cutAmount, formatAmount, plural } from '#web/lib/format.ts'
import type { Chain } from '#web/lib/networks.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { contactsQuery } from '#web/queries/contacts.ts'
import { Sparkline } from './Sparkline.tsx'
import { balanceTrendOf } from './trend.ts'
import { FigureLink, refreshMs, WidgetError, WidgetLoading, type WidgetProps } from './WidgetParts.tsx'

const whole = (count: number) => count.toLocaleString('en-US')
const usd = (amount: string) => `$${formatAmount(amount)}`

/** A number as large as fits, and a note. Both are the link. */
export function Figure(props: {
  value: string
  /** Shown instead of `value`: the same digits, with the unit if there is room. */
  children?: ReactNode
  /** Between number and note. */
  picture?: ReactNode
  note: ReactNode
  /** The page with more, and what is to be seen there if not what the page is named after. */
  page: 'agents' | 'contacts' | 'payouts' | 'transactions' | 'usage' | 'wallets'
  pageShows?: string
  search?: { figure: FigureName } | { status: string; network: Chain }
  title?: string
}) {
  return (
    <div className="relative flex flex-1 flex-col">
      <p
        className="flex min-h-10 items-center font-semibold text-fit"
        style={{ '--digits': props.value.length } as CSSProperties}
        title={props.title}
      >
        {props.children ?? props.value}
      </p>
      <div className="mt-auto">
        {props.picture}
        <p className="text-pretty text-muted text-small">{props.note}</p>
      </div>
      <FigureLink
        to={`/dashboard/${props.page}`}
        search={props.search}
        label={`View ${props.pageShows ?? props.page}`}
        title={props.title}
      />
    </div>
  )
}

/** What the wallets have now, and what they had on the last 30 days. */
export function TotalBalance({ overview }: WidgetProps) {
  const { totalBalance, balanceAsOf, held } = overview
  const trend = balanceTrendOf(overview)
  return (
    <Figure
      value={`$${cutAmount(totalBalance)}`}
      picture={<Sparkline trend={trend} />}
      note={
        <>
          {balanceAsOf !== null ? (
            <span>
              As of <Ago iso={balanceAsOf} />
            </span>
          ) : (
            <span>{held === '0' ? 'Nothing' : usd(held)} held for payments</span>
          )}
          <span className="block @max-3xs:hidden">{trend?.text ?? '\u00a0'}</span>
        </>
      }
      page="wallets"
    >
      <span data-testid="total-balance">
        <Balance value={totalBalance} className="leading-tight [&>span]:@max-3xs:block" />
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

/** Cut to cents, as in Quick Stats; the exact value shows on hover. */
export const AverageTransaction = ({ overview: { average, confirmed } }: WidgetProps) => {
  const unit = useUnit()
  return (
    <Figure
      value={average === null ? 'N/A' : `$${cutAmount(average)}`}
      {...(average !== null && { title: `${formatAmount(average)} ${unit}` })}
      note={average === null ? 'No completed payment yet' : `of ${plural(confirmed, 'completed payment')}`}
      page="transactions"
      search={{ figure: 'completed' }}
    />
  )
}

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

export const PendingPayouts = ({ overview: { pendingPayouts } }: WidgetProps) => {
  const network = usePrimaryChain()
  return (
    <Figure
      value={whole(pendingPayouts.count)}
      note={pendingPayouts.count === 0 ? 'Nothing unclaimed' : `${usd(pendingPayouts.amount)} unclaimed`}
      page="payouts"
      search={{ status: 'CREATING,CREATED', network }}
    />
  )
}

export const Failed = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.failedToday)}
    note="in the last 24 hours"
    page="transactions"
    search={{ figure: 'failed_24h' }}
  />
)
