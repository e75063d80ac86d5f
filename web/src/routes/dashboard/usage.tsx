import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Period } from '#domain/periods.ts'
import { type Span, spans } from '#domain/statistics.ts'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Card, PageHeader, Syncing } from '#web/components/Card.tsx'
import type { By } from '#web/components/charts/SpanChoice.tsx'
import { May } from '#web/components/May.tsx'
import { LabeledSelect } from '#web/components/Select.tsx'
import { EmptyState, SkeletonCard } from '#web/components/states.tsx'
import { shortAddress } from '#web/lib/format.ts'
import { textsOf } from '#web/lib/search.ts'
import { useElapsed } from '#web/lib/useElapsed.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { refreshUsage, type UsageGroup, type UsageWallet, usageQuery } from '#web/queries/usage.ts'
import { walletLabel } from '#web/queries/wallets.ts'
import { AllWallets, MonthlySpend, NetworkFees, SpendingCard } from './-usage/cards.tsx'
import type { PaidBy } from './-usage/PaidToCard.tsx'
import { WalletUsage } from './-usage/WalletUsage.tsx'

/** Only reads the parameters. Every page loads this, so the page itself interprets them. */
export const Route = createFileRoute('/dashboard/usage')({
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['wallet', 'days', 'by', 'period', 'to'] as const),
  component: UsagePage,
})

const PaidToCard = lazy(() => import('./-usage/PaidToCard.tsx'))
const RefusalsCard = lazy(() => import('./-usage/RefusalsCard.tsx'))
const TopUpDialog = lazy(() => import('#web/components/TopUpDialog.tsx'))

const refreshMs = 30_000 // 30 seconds
/** Time after which a button to try again joins the loading text. */
const showRetryMs = 10_000 // 10 seconds

function UsagePage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const [toppingUp, setToppingUp] = useState<UsageGroup | null>(null)
  const { data, isFetching, refetch } = useQuery({ ...usageQuery, refetchInterval: refreshMs })
  useTitle('Budget & Usage')
  if (!data) return <Loading onRetry={() => refetch()} />

  const only = data.wallets.length === 1 ? data.wallets[0] : undefined
  const wallet = only ?? data.wallets.find(({ id }) => id === search.wallet)
  const { wallet: _, ...chart } = search
  const days = spans.find((span) => String(span) === search.days) ?? 30
  const by: By = search.by === 'group' ? 'group' : 'agent'
  const period: Period = search.period === 'week' ? 'week' : 'month'
  const to: PaidBy = search.to === 'seller' ? 'seller' : 'recipient'
  /** The URL leaves out what is shown without it. */
  const show = (change: { days?: Span; by?: By; period?: Period; to?: PaidBy }) => {
    const next = { days, by, period, to, ...change }
    navigate({
      search: {
        ...(search.wallet && { wallet: search.wallet }),
        ...(next.days !== 30 && { days: String(next.days) }),
        ...(next.by === 'group' && { by: next.by }),
        ...(next.period === 'week' && { period: next.period }),
        ...(next.to === 'seller' && { to: next.to }),
      },
      resetScroll: false,
    })
  }
  const select = (walletId: string) => navigate({ search: walletId ? { ...chart, wallet: walletId } : chart })
  return (
    <>
      <PageHeader title="Budget & Usage" aside={<Syncing active={isFetching} />} />
      <div className="space-y-5">
        <div className={data.wallets.length > 0 ? besideChart : undefined}>
          <MonthlySpend usage={data} />
          {data.wallets.length > 0 && (
            <div className="flex min-w-0 flex-col gap-5">
              {data.wallets.length > 1 && (
                <div className="w-full max-w-[440px]">
                  <WalletChoice wallets={data.wallets} value={wallet?.id ?? ''} onChange={select} />
                </div>
              )}
              <SpendingCard wallet={wallet} days={days} by={by} onChange={show} />
            </div>
          )}
        </div>
        {wallet ? (
          <WalletUsage key={wallet.id} wallet={wallet} month={data.globalBudget} onTopUp={setToppingUp} />
        ) : data.wallets.length > 0 ? (
          <AllWallets wallets={data.wallets} month={data.globalBudget} onSelect={({ id }) => select(id)} />
        ) : (
          <Card>
            <EmptyState
              title="No wallets yet"
              action={
                <May call="wallets.deploy">
                  <Link to="/dashboard/wallets" search={{ deploy: true }} className={buttonClass()}>
                    New Wallet
                  </Link>
                </May>
              }
            >
              What your wallets and agents spend will appear here.
            </EmptyState>
          </Card>
        )}
        {data.wallets.length > 0 && (
          <Suspense fallback={<SkeletonCard className="h-96" lines={6} />}>
            <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
              <PaidToCard period={period} by={to} onChange={show} />
              <RefusalsCard period={period} onPeriod={(chosen) => show({ period: chosen })} />
            </div>
          </Suspense>
        )}
        <NetworkFees gas={data.gasAllowance} />
      </div>
      <Suspense>
        {toppingUp && (
          <TopUpDialog
            group={{
              id: toppingUp.id,
              name: toppingUp.name,
              spendLimitUsdc: toppingUp.budget.limit,
              remaining: toppingUp.budget.remaining,
            }}
            onClose={() => {
              setToppingUp(null)
              refreshUsage()
            }}
          />
        )}
      </Suspense>
    </>
  )
}

/** The month and, in a wide window beside it, the chart. */
const besideChart = 'grid grid-cols-1 gap-5 lg:grid-cols-[24rem_minmax(0,1fr)]'

const WalletChoice = (props: { wallets: UsageWallet[]; value: string; onChange: (walletId: string) => void }) => (
  <LabeledSelect
    label="Wallet"
    value={props.value}
    onChange={props.onChange}
    none="All Wallets"
    choices={props.wallets.map((wallet) => [wallet.id, `${walletLabel(wallet)} (${shortAddress(wallet.address)})`])}
  />
)

/** A failure to load shows no message, as specified: the loading text stays, and a button to try again joins it later. */
function Loading(props: { onRetry: () => void }) {
  const isLong = useElapsed(showRetryMs)
  return (
    <>
      <PageHeader title="Budget & Usage" />
      <div role="status" className="mb-4 flex min-h-control flex-wrap items-center gap-x-4 gap-y-2">
        <p className="text-muted">Loading usage data...</p>
        {isLong && (
          <Button look="secondary" onClick={props.onRetry}>
            Try again
          </Button>
        )}
      </div>
      <div className={besideChart}>
        <SkeletonCard className="h-[32rem] sm:max-lg:h-80" lines={8} />
        <SkeletonCard className="h-96 lg:h-[32rem]" lines={0} />
      </div>
    </>
  )
}
