import { useQueryClient } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import type { CSSProperties, ReactNode } from 'react'
import { Balance, useUnit } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { useNow } from '#web/components/Time.tsx'
import { cutAmount, formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { localDay } from '#web/lists/range.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { overviewQuery } from '#web/queries/overview.ts'
import { WidgetLink, type WidgetProps } from './WidgetParts.tsx'

const whole = (count: number) => count.toLocaleString('en-US')
const usd = (amount: string) => `$${formatAmount(amount)}`

/** A number as large as fits, a note and a link. */
function Figure(props: {
  value: string
  /** Shown instead of `value`: the same digits, with the unit if there is room. */
  children?: ReactNode
  note: ReactNode
  to: NonNullable<LinkProps['to']>
  search?: Record<string, string>
  label: string
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
      <WidgetLink to={props.to} {...(props.search && { search: props.search })}>
        {props.label}
      </WidgetLink>
    </>
  )
}

export function TotalBalance({ overview }: WidgetProps) {
  const client = useQueryClient()
  const { totalBalance, held } = overview
  const unit = unitOf(usePrimaryChain())
  if (totalBalance === null)
    return (
      <>
        <p className="my-auto font-semibold text-title">Unavailable</p>
        <Button
          look="quiet"
          className="-ml-4 w-fit"
          onClick={() => client.refetchQueries({ queryKey: overviewQuery.queryKey })}
        >
          Try again
        </Button>
      </>
    )
  return (
    <Figure
      value={`$${cutAmount(totalBalance)}`}
      note={
        <>
          <span className="block @min-3xs:hidden">{unit}</span>
          {held === '0' ? 'Nothing held' : `${usd(held)} held for payments`}
        </>
      }
      to="/dashboard/wallets"
      label="View wallets"
    >
      <span data-testid="total-balance">
        <Balance value={totalBalance} className="[&>span]:@max-3xs:hidden" />
      </span>
    </Figure>
  )
}

export const ActiveAgents = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.activeAgentCount)}
    note={`of ${plural(overview.agentCount, 'agent')}`}
    to="/dashboard/agents"
    label="View agents"
  />
)

export const Transactions = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.transactionCount)}
    note={`${whole(overview.confirmed)} completed`}
    to="/dashboard/transactions"
    label="View transactions"
  />
)

export const PolicyGroups = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.groupCount)}
    note={`for ${plural(overview.agentCount, 'agent')}`}
    to="/dashboard/agents"
    label="View policy groups"
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
    to="/dashboard/transactions"
    search={{ status: 'completed,failed' }}
    label="View transactions"
  />
)

export const TotalSpent = ({ overview }: WidgetProps) => {
  const unit = useUnit()
  return (
    <Figure
      value={usd(overview.totalSpent)}
      title={`${formatAmount(overview.totalSpent)} ${unit}`}
      note="Without reclaimed payouts"
      to="/dashboard/usage"
      label="View usage"
    />
  )
}

export const AverageTransaction = ({ overview }: WidgetProps) => (
  <Figure
    value={overview.average === null ? 'N/A' : usd(overview.average)}
    note={
      overview.average === null ? 'No completed payment yet' : `of ${plural(overview.confirmed, 'completed payment')}`
    }
    to="/dashboard/transactions"
    label="View transactions"
  />
)

export const Contacts = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.contactCount)}
    note={overview.contactCount === 0 ? 'No contacts yet' : 'in your address book'}
    to="/dashboard/contacts"
    label="View contacts"
  />
)

export const Wallets = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.walletCount)}
    note={overview.walletCount === 0 ? 'None yet' : 'on Base'}
    to="/dashboard/wallets"
    label="View wallets"
  />
)

export const PendingPayouts = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.pendingPayouts.count)}
    note={
      overview.pendingPayouts.count === 0 ? 'Nothing unclaimed' : `${usd(overview.pendingPayouts.amount)} unclaimed`
    }
    to="/dashboard/payouts"
    search={{ status: 'CREATING,CREATED' }}
    label="View payouts"
  />
)

export const Failed = ({ overview }: WidgetProps) => (
  <Figure
    value={whole(overview.failedToday)}
    note="in the last 24 hours"
    to="/dashboard/transactions"
    // Lists filter by whole days, so this includes all of the day on which the last 24 hours began.
    search={{ status: 'failed', from: localDay(useNow() - 86_400_000) }}
    label="View transactions"
  />
)
