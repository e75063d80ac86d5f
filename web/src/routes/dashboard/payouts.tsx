import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Plus, Undo2 } from 'lucide-react'
import { lazy, Suspense, startTransition, useDeferredValue, useMemo, useState } from 'react'
import { type ListSort, payoutStatuses } from '#domain/listFilters.ts'
import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { Syncing } from '#web/components/Syncing.tsx'
import { EmptyState, SkeletonRows } from '#web/components/states.tsx'
import { plural } from '#web/lib/format.ts'
import { keepFocus } from '#web/lib/keepFocus.ts'
import { addressesOf, type ListPlace, listOf, placeOf, rangeOf, searchOfPlace } from '#web/lib/listSearch.ts'
import { validRange } from '#web/lib/range.ts'
import { flagsOf, pageOf, searchOf, textsOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { ExportButton, FilterChips, FiltersButton } from '#web/lists/FilterBar.tsx'
import { PagedCard } from '#web/lists/PagedCard.tsx'
import { useAfterPaint } from '#web/lists/useAfterPaint.ts'
import { overviewQuery } from '#web/queries/overview.ts'
import {
  type Escrow,
  exportPayouts,
  type PayoutFilters,
  payoutsQuery,
  reclaimableQuery,
  refreshPayouts,
} from '#web/queries/payouts.ts'
import { columnsWith, compactWith } from './-payouts/rows.tsx'
import { useActiveFilters } from './-payouts/useActiveFilters.ts'

/** Reads the parameters as text only. Every page loads this, so only the page itself interprets the filters. */
const read = (search: Record<string, unknown>) => ({
  ...searchOf({ page: pageOf(search.page) }),
  ...flagsOf(search, ['create']),
  ...textsOf(search, ['detail', 'status', 'wallets', 'from', 'to', 'min', 'max', 'sort', 'cursor']),
})

export const Route = createFileRoute('/dashboard/payouts')({
  validateSearch: read,
  component: PayoutsPage,
})

const CreatePayoutDialog = lazy(() => import('./-payouts/CreatePayoutDialog.tsx'))
const PayoutDialog = lazy(() => import('./-payouts/PayoutDialog.tsx'))
const PayoutFilter = lazy(() => import('./-payouts/PayoutFilter.tsx'))
const ReclaimAllDialog = lazy(() => import('./-payouts/ReclaimAllDialog.tsx'))
const ReclaimDialog = lazy(() => import('./-payouts/ReclaimDialog.tsx'))

const refreshMs = 30_000 // 30 seconds

function filtersOf(search: ReturnType<typeof read>): PayoutFilters {
  const status = listOf(search.status, payoutStatuses)
  const wallets = addressesOf(search.wallets)
  return {
    ...(status.length > 0 && { status }),
    ...(wallets.length > 0 && { wallets }),
    ...validRange(rangeOf(search)),
  }
}

function PayoutsPage() {
  const search = Route.useSearch()
  const { create, detail } = search
  const gone = { page: undefined, cursor: undefined, sort: undefined, create: undefined, detail: undefined }
  const filtered = searchOf({ ...search, ...gone })
  const place = placeOf(search)
  const navigate = Route.useNavigate()
  // Contact details stay out of the URL.
  const [recipient, setRecipient] = useState<string>()
  const [filtering, setFiltering] = useState(false)
  const [isWaiting, afterPaint] = useAfterPaint()
  const [reclaimingAll, setReclaimingAll] = useState(false)
  const [reclaiming, setReclaiming] = useState<Escrow | null>(null)
  const filters: PayoutFilters = { ...filtersOf(search), ...(recipient && { recipient }) }
  const list = useQuery({ ...payoutsQuery(place, filters), refetchInterval: refreshMs })
  const reclaimable = useQuery({ ...reclaimableQuery, refetchInterval: refreshMs })
  const overview = useQuery({ ...overviewQuery, refetchInterval: refreshMs })
  useTitle('Payouts')

  const here = { ...filtered, ...searchOfPlace(place) }
  const close = () => navigate({ search: here, replace: true })
  const apply = ({ recipient: person, status: statuses, wallets: from, ...days }: PayoutFilters) => {
    setFiltering(false)
    afterPaint(() => {
      setRecipient(person)
      const chosen = searchOf({ status: statuses?.join(','), wallets: from?.join(',') })
      navigate({ search: { ...days, ...chosen, ...searchOfPlace({ page: 1, sort: place.sort }) } })
    })
  }
  const active = useActiveFilters(filters, apply)
  const clear = () => apply({})
  const reclaimableCount = reclaimable.data?.page.total ?? 0
  // Reserves the line for the sum until it is known.
  const outstanding = overview.data?.pendingPayouts ?? { count: reclaimableCount, amount: '100' }
  const openCreate = () => navigate({ search: { ...here, create: true } })

  const hrefOfDetail = useHrefOfDetail(here)
  const { columns, compact } = useMemo(() => {
    const hrefOf = (id: string) => hrefOfDetail + encodeURIComponent(id)
    return { columns: columnsWith({ hrefOf, onReclaim: setReclaiming }), compact: compactWith({ hrefOf }) }
  }, [hrefOfDetail])
  const goTo = (to: ListPlace) => afterPaint(() => navigate({ search: { ...filtered, ...searchOfPlace(to) } }))

  return (
    <>
      <PageHeader title="Payout Management" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <ExportButton
          name="bursar-payouts.csv"
          disabled={!list.data?.page.total}
          load={() => exportPayouts(filters, place.sort)}
        />
        <FiltersButton active={active} onOpen={() => startTransition(() => setFiltering(true))} />
        {reclaimableCount > 0 && (
          <Button ref={keepFocus} look="secondary" onClick={() => setReclaimingAll(true)}>
            <Undo2 aria-hidden="true" className="size-4" />
            Reclaim All Pending ({reclaimableCount})
          </Button>
        )}
        <Button onClick={openCreate}>
          <Plus aria-hidden="true" className="size-4" />
          Create Payout
        </Button>
      </PageHeader>
      {!reclaimable.isPending && outstanding.count > 0 && (
        <p className={clsx('mb-4 text-muted', !overview.data && 'invisible')}>
          Total outstanding: <Amount value={outstanding.amount} className="font-semibold text-ink" /> in{' '}
          {plural(outstanding.count, 'payout')} not claimed yet
        </p>
      )}
      <FilterChips active={active} onClear={clear} />
      {/* The content above the list depends on whether there are unclaimed payouts, so an earlier list would move. */}
      {reclaimable.isPending ? (
        <Card className="overflow-hidden">
          <SkeletonRows rows={8} />
        </Card>
      ) : (
        <PagedCard
          noun="payouts"
          list={list}
          columns={columns}
          compact={compact}
          sorting={{ value: place.sort, onChange: (sort) => goTo({ page: 1, sort: sort as ListSort }) }}
          isFiltered={active.length > 0}
          isWaiting={isWaiting}
          onClear={clear}
          onPage={(page, cursor) => goTo({ page, sort: place.sort, ...(cursor && { cursor }) })}
          empty={
            <EmptyState
              title="No payouts found"
              action={<Button onClick={openCreate}>Create Your First Payout</Button>}
            >
              Your payouts will appear here.
            </EmptyState>
          }
        />
      )}
      <Suspense>
        {filtering && <PayoutFilter value={filters} onApply={apply} onClose={() => setFiltering(false)} />}
        {reclaimingAll && (
          <ReclaimAllDialog
            onClose={() => {
              setReclaimingAll(false)
              refreshPayouts()
            }}
          />
        )}
        {create && <CreatePayoutDialog onClose={close} />}
        {detail && !reclaiming && (
          <PayoutDialog
            payoutId={detail}
            known={list.data?.rows.find((payout) => payout.id === detail)}
            onReclaim={setReclaiming}
            onClose={close}
          />
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

/** The link to a payout's details, without the id at its end. Deferred, so that rows update at low priority. */
function useHrefOfDetail(here: ReturnType<typeof read>): string {
  const { href } = useRouter().buildLocation({ to: '/dashboard/payouts', search: here })
  return useDeferredValue(`${href}${href.includes('?') ? '&' : '?'}detail=`)
}
