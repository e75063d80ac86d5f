import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Span } from '#domain/statistics.ts'
import { formatUtcDays } from '#domain/utcDays.ts'
import { Amount } from '#web/components/Amount.tsx'
import { PercentRing } from '#web/components/BudgetRing.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, Fact, TitledCard } from '#web/components/Card.tsx'
import { type By, SpanChoice } from '#web/components/charts/SpanChoice.tsx'
import { SpendChart } from '#web/components/charts/SpendChart.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { Loaded, Skeleton } from '#web/components/states.tsx'
import { formatDate, formatMoment, plural } from '#web/lib/format.ts'
import type { Chain } from '#web/lib/networks.ts'
import { type KeyBudget, spendingQuery, type Usage, type UsageWallet } from '#web/queries/usage.ts'
import { walletName } from '#web/queries/wallets.ts'

const monthFormat = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })

/** The month as a span of UTC days, for the list of its payments. */
export const monthDays = ({ periodStart, periodEnd }: { periodStart: string; periodEnd: string }) =>
  formatUtcDays({ from: Date.parse(periodStart), to: Date.parse(periodEnd) })

/**
 * Spending from all wallets on Base in this UTC month, against the limits of their session keys, with the month before; and what
 * these keys can still pay, which began with each of them.
 */
export function MonthlySpend(props: { usage: Usage }) {
  const { globalBudget: budget, sessionKeys } = props.usage
  const { previous } = budget
  const starts = new Date(budget.periodStart)
  const monthBefore = monthDays({ periodStart: previous.periodStart, periodEnd: budget.periodStart })
  return (
    <TitledCard
      id="monthly"
      title="Monthly Account Spend"
      note={`${monthFormat.format(starts)} · ${dayFormat.format(starts)} to ${dayFormat.format(Date.parse(budget.periodEnd) - 1)} (UTC)`}
    >
      <div className="mt-4 flex flex-wrap items-center gap-x-8 gap-y-3">
        {/* The number that matters here: the one accent of the page. */}
        <div className="@container flex min-w-[min(15rem,100%)] flex-1 items-center gap-4 rounded-control bg-green-tint p-4">
          {budget.percentUsed !== null && <PercentRing percent={budget.percentUsed} className="size-20" />}
          <p className="min-w-0">
            <span className="block text-muted text-small">Total Spent</span>
            <PaymentsLink search={{ spent: monthDays(budget) }}>
              <Amount value={budget.currentSpent} className="font-semibold text-title" />
            </PaymentsLink>
          </p>
        </div>
        <dl className="min-w-[min(15rem,100%)] max-w-[560px] flex-1 divide-y divide-hairline">
          {budget.remaining !== null && budget.limit !== null && (
            <>
              <Fact name="Remaining">
                <Amount value={budget.remaining} />
              </Fact>
              <Fact name="Limit of the session keys">
                <Amount value={budget.limit} />
              </Fact>
            </>
          )}
          <Fact name={`Spent in ${monthFormat.format(new Date(previous.periodStart))}`}>
            <PaymentsLink search={{ spent: monthBefore }}>
              <Amount value={previous.spent} />
            </PaymentsLink>
          </Fact>
          <Fact name="Resets">{dayFormat.format(new Date(budget.periodEnd))}, 00:00 UTC</Fact>
        </dl>
      </div>
      {sessionKeys && <KeysLeft keys={sessionKeys} what="The session keys" />}
      <p className="mt-3 text-muted text-small">
        Reclaimed payouts are not counted in the month, although they use up a session key’s limit. Months and days here
        are in UTC; the dates of transactions and payouts, and their filters, are in your time zone.
      </p>
    </TitledCard>
  )
}

/** What session keys can still pay, with a ring of its own: they began on other days than the month. */
export function KeysLeft(props: { keys: KeyBudget; what: string; chain?: Chain }) {
  const { keys, what, chain } = props
  return (
    <div className="mt-4 flex items-center gap-3 border-hairline border-t pt-4">
      {keys.endsAt !== null && <PercentRing percent={keys.percentUsed} />}
      <p>
        {keys.endsAt === null ? (
          'No session key is valid, so nothing can be paid.'
        ) : (
          <>
            {what} can still pay <Amount value={keys.remaining} chain={chain} className="font-semibold" /> of{' '}
            <Amount value={keys.limit} chain={chain} />
            <span className="block text-muted text-small">
              <Amount value={keys.used} chain={chain} /> is used or held · until {formatDate(keys.endsAt)}
            </span>
          </>
        )}
      </p>
    </div>
  )
}

/** How much of today's allowance for network fees is left, as a number of payments. */
export function NetworkFees(props: { gas: Usage['gasAllowance'] }) {
  const { limit, used, payments, resetsAt } = props.gas
  const percent = limit === 0 ? 100 : Math.min(100, Math.floor((used / limit) * 100))
  return (
    <TitledCard
      id="network-fees"
      title="Network Fees"
      note="Bursar pays the network fees of your payments, up to a daily allowance."
    >
      <dl className="mt-4 max-w-[560px] divide-y divide-hairline">
        <Fact name="Used today">{percent}%</Fact>
        <Fact name="Left today">About {plural(payments, 'payment')}</Fact>
        <Fact name="Resets">{formatMoment(resetsAt)}</Fact>
      </dl>
    </TitledCard>
  )
}

/** The current month of every wallet, side by side. */
export function AllWallets(props: {
  wallets: UsageWallet[]
  month: Usage['globalBudget']
  onSelect: (wallet: UsageWallet) => void
}) {
  return (
    <section aria-labelledby="all-wallets">
      <h2 id="all-wallets" className="mb-3 font-semibold">
        All Wallets
      </h2>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {props.wallets.map((wallet) => {
          const { currentSpent, limit, percentUsed } = wallet.sessionKeyBudget
          return (
            <li key={wallet.id}>
              <Card className="flex h-full flex-col p-5">
                <h3 className="wrap-anywhere font-semibold">{walletName(wallet)}</h3>
                {wallet.chain !== 'base' && <p className="text-muted text-small">Test network: not real money</p>}
                <dl className="mt-1 flex-1 divide-y divide-hairline">
                  <Fact name="Spent">
                    <PaymentsLink search={{ wallet: wallet.id, spent: monthDays(props.month) }} chain={wallet.chain}>
                      <Amount value={currentSpent} chain={wallet.chain} />
                    </PaymentsLink>
                  </Fact>
                  <Fact name="Limit">{limit === null ? 'None' : <Amount value={limit} chain={wallet.chain} />}</Fact>
                  <Fact name="Used %">{percentUsed === null ? 'N/A' : `${percentUsed}%`}</Fact>
                  <Fact name="Policy groups">{wallet.policyGroups.length}</Fact>
                </dl>
                <Button
                  look="secondary"
                  className="mt-3"
                  aria-label={`View Details of ${walletName(wallet)}`}
                  onClick={() => props.onSelect(wallet)}
                >
                  View Details
                </Button>
              </Card>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const refreshMs = 30_000 // 30 seconds

/** Spending per day from one wallet, or from all wallets on Base. */
export function SpendingCard(props: {
  wallet: UsageWallet | undefined
  days: Span
  by: By
  onChange: (change: { days?: Span; by?: By }) => void
}) {
  const { wallet, days, by, onChange } = props
  const spending = useQuery({
    ...spendingQuery({ days, by, wallet: wallet?.id }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  return (
    <TitledCard
      id="spending"
      title="Spending"
      note={`${wallet ? walletName(wallet) : 'All wallets on Base'} · days in UTC`}
      aside={
        <SpanChoice
          days={days}
          by={by}
          onDays={(span) => onChange({ days: span })}
          onBy={(part) => onChange({ by: part })}
        />
      }
      className="flex flex-1 flex-col"
    >
      <Loaded query={spending} loading={<Skeleton className="h-80" />}>
        {(data) => (
          <div
            aria-busy={spending.isPlaceholderData}
            className="flex flex-1 flex-col transition-opacity aria-busy:opacity-60"
          >
            <SpendChart spending={data} by={by} chain={wallet?.chain ?? 'base'} walletId={wallet?.id} />
          </div>
        )}
      </Loaded>
    </TitledCard>
  )
}
