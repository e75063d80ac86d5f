import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Span } from '#domain/statistics.ts'
import { Card } from '#web/components/Card.tsx'
import { type By, SpanChoice } from '#web/components/charts/SpanChoice.tsx'
import { SpendChart } from '#web/components/charts/SpendChart.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { spendingQuery, type UsageWallet } from '#web/queries/usage.ts'
import { walletName } from '#web/queries/wallets.ts'

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
    <Card aria-labelledby="spending" className="p-5">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div>
          <h2 id="spending" className="font-semibold">
            Spending
          </h2>
          <p className="text-muted text-small">{wallet ? walletName(wallet) : 'All wallets on Base'} · days in UTC</p>
        </div>
        <SpanChoice
          days={days}
          by={by}
          onDays={(span) => onChange({ days: span })}
          onBy={(part) => onChange({ by: part })}
        />
      </div>
      {spending.data ? (
        <div aria-busy={spending.isPlaceholderData} className="transition-opacity aria-busy:opacity-60">
          <SpendChart spending={spending.data} by={by} chain={wallet?.chain ?? 'base'} />
        </div>
      ) : spending.error ? (
        <ErrorState error={spending.error} onRetry={() => spending.refetch()} />
      ) : (
        <Skeleton className="h-72" />
      )}
    </Card>
  )
}
