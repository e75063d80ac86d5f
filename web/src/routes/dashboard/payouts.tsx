import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Plus, Undo2 } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader, Syncing } from '#web/components/Card.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { EmptyState, SkeletonRows } from '#web/components/states.tsx'
import { plural } from '#web/lib/format.ts'
import { flagsOf, listSearchOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { FilterChips, ListButtons } from '#web/lists/FilterBar.tsx'
import { PagedCard } from '#web/lists/PagedCard.tsx'
import { useListPage } from '#web/lists/useListPage.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { overviewQuery } from '#web/queries/overview.ts'
import { expiringQuery, expiringSoon, type Payout, reclaimableQuery, refreshPayouts } from '#web/queries/payouts.ts'
import { useAllowed } from '#web/queries/people.ts'
import { keepFocus } from '#web/routes/dashboard/-payouts/list.tsx'
import { type PayoutList, payoutList, rowsWith } from './-payouts/list.tsx'

const read = (search: Record<string, unknown>) => ({
  ...listSearchOf<PayoutList>(search),
  ...flagsOf(search, ['create']),
})

export const Route = createFileRoute('/dashboard/payouts')({
  validateSearch: read,
  component: PayoutsPage,
})

const CreatePayoutDialog = lazy(() => import('./-payouts/CreatePayoutDialog.tsx'))
const PayoutDialog = lazy(() => import('./-payouts/PayoutDialog.tsx'))
const ReclaimAllDialog = lazy(() => import('./-payouts/ReclaimAllDialog.tsx'))
const ReclaimDialog = lazy(() => import('./-payouts/ReclaimDialog.tsx'))

function PayoutsPage() {
  const { create } = Route.useSearch()
  const page = useListPage(payoutList)
  const { list, detail } = page
  const [reclaimingAll, setReclaimingAll] = useState(false)
  const [reclaiming, setReclaiming] = useState<Payout | null>(null)
  const reclaimable = useQuery({ ...reclaimableQuery, refetchInterval: page.refreshMs })
  const network = usePrimaryChain()
  const expiring = useQuery({ ...expiringQuery(network), refetchInterval: page.refreshMs })
  const overview = useQuery({ ...overviewQuery, refetchInterval: page.refreshMs })
  const isAllowed = useAllowed()
  const mayReclaim = isAllowed('reclaim')
  const rows = useMemo(
    () => rowsWith({ hrefOf: page.hrefOf, onReclaim: mayReclaim ? setReclaiming : null }),
    [page.hrefOf, mayReclaim],
  )
  useTitle('Payouts')

  const reclaimableCount = reclaimable.data?.page.total ?? 0
  // Reserves the line for the sum until it is known.
  const outstanding = overview.data?.pendingPayouts ?? { count: reclaimableCount, amount: '100' }
  const expiringCount = expiring.data?.page.total ?? 0
  const isPending = reclaimable.isPending || expiring.isPending
  const openCreate = () => page.open({ create: true })

  return (
    <>
      <PageHeader title="Payout Management" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        {/* First, and there while it loads, so that it moves no other button. */}
        {(reclaimable.isPending || reclaimableCount > 0) && isAllowed('reclaimAll') && (
          <Button
            ref={keepFocus}
            look="secondary"
            className="relative"
            data-small=""
            title="Reclaim All Pending"
            disabled={reclaimable.isPending}
            onClick={() => setReclaimingAll(true)}
          >
            <Undo2 aria-hidden="true" className="size-4" />
            <span>
              <span className="max-lg:sr-only">Reclaim All Pending</span>{' '}
              {reclaimable.isPending ? '\u00a0\u00a0\u00a0' : `(${reclaimableCount})`}
            </span>
          </Button>
        )}
        <ListButtons page={page} words="max-lg:sr-only" />
        {isAllowed('createPayout') && (
          <Button onClick={openCreate}>
            <Plus aria-hidden="true" className="size-4" />
            Create Payout
          </Button>
        )}
      </PageHeader>
      {!isPending && outstanding.count > 0 && (
        <p className={clsx('mb-4 text-muted', !overview.data && 'invisible')}>
          Total outstanding: <Amount value={outstanding.amount} className="font-semibold text-ink" /> in{' '}
          {plural(outstanding.count, 'payout')} not claimed yet
          {expiringCount > 0 && (
            <span>
              .{' '}
              <Link to="/dashboard/payouts" search={{ ...expiringSoon, network }} className={linkClass}>
                {expiringCount === 1 ? '1 expires' : `${expiringCount.toLocaleString('en-US')} expire`} within 7 days
              </Link>
            </span>
          )}
        </p>
      )}
      <FilterChips page={page} />
      {/* The content above the list depends on whether there are unclaimed payouts, so an earlier list would move. */}
      {isPending ? (
        <Card className="overflow-hidden">
          <SkeletonRows rows={8} />
        </Card>
      ) : (
        <PagedCard
          page={page}
          rows={rows}
          empty={
            <EmptyState
              title="No payouts found"
              action={isAllowed('createPayout') && <Button onClick={openCreate}>Create Your First Payout</Button>}
            >
              Your payouts will appear here.
            </EmptyState>
          }
        />
      )}
      <Suspense>
        {reclaimingAll && (
          <ReclaimAllDialog
            onClose={() => {
              setReclaimingAll(false)
              refreshPayouts()
            }}
          />
        )}
        {create && isAllowed('createPayout') && <CreatePayoutDialog onClose={page.close} />}
        {detail && !reclaiming && (
          <PayoutDialog payoutId={detail} known={page.known} onReclaim={setReclaiming} onClose={page.close} />
        )}
        {reclaiming && (
          <ReclaimDialog
            payout={reclaiming}
            onClose={() => {
              setReclaiming(null)
              refreshPayouts()
            }}
          />
        )}
      </Suspense>
    </>
  )
}
