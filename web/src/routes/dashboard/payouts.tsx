import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Eye, Plus, Undo2 } from 'lucide-react'
import { lazy, Suspense, startTransition, useMemo, useState } from 'react'
import { payoutStatuses } from '#domain/listFilters.ts'
import { Amount } from '../../components/Amount.tsx'
import { Button, IconButton } from '../../components/Button.tsx'
import { PageHeader } from '../../components/Card.tsx'
import type { Column } from '../../components/DataTable.tsx'
import { PayoutStatusChip } from '../../components/PayoutStatusChip.tsx'
import { Syncing } from '../../components/Syncing.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/Time.tsx'
import { plural } from '../../lib/format.ts'
import { keepFocus } from '../../lib/keepFocus.ts'
import { addressesOf, listOf, rangeOf } from '../../lib/listSearch.ts'
import { canReclaim, deliveryText, isUndelivered, recipientOf } from '../../lib/payoutStatus.ts'
import { validRange } from '../../lib/range.ts'
import { flagOf, pageOf, searchOf, textsOf } from '../../lib/search.ts'
import { useTitle } from '../../lib/useTitle.ts'
import { ExportButton, FilterChips, FiltersButton } from '../../lists/FilterBar.tsx'
import { PagedCard } from '../../lists/PagedCard.tsx'
import { useAfterPaint } from '../../lists/useAfterPaint.ts'
import { overviewQuery } from '../../queries/overview.ts'
import {
  type Escrow,
  exportPayouts,
  type PayoutFilters,
  payoutsQuery,
  reclaimableQuery,
  refreshPayouts,
} from '../../queries/payouts.ts'
import { useActiveFilters } from './-payouts/useActiveFilters.ts'

/** Reads the parameters as texts only; the page interprets the filters, since every page loads this. */
const read = (search: Record<string, unknown>) => ({
  ...searchOf({ page: pageOf(search.page), create: flagOf(search.create) }),
  ...textsOf(search, ['detail', 'status', 'wallets', 'from', 'to', 'min', 'max']),
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
  const { page = 1, create, detail } = search
  const navigate = Route.useNavigate()
  // Contact details stay out of the URL.
  const [recipient, setRecipient] = useState<string>()
  const [filtering, setFiltering] = useState(false)
  const [isWaiting, afterPaint] = useAfterPaint()
  const [reclaimingAll, setReclaimingAll] = useState(false)
  const [reclaiming, setReclaiming] = useState<Escrow | null>(null)
  const filters: PayoutFilters = { ...filtersOf(search), ...(recipient && { recipient }) }
  const list = useQuery({ ...payoutsQuery(page, filters), refetchInterval: refreshMs })
  const reclaimable = useQuery({ ...reclaimableQuery, refetchInterval: refreshMs })
  const overview = useQuery({ ...overviewQuery, refetchInterval: refreshMs })
  useTitle('Payouts')

  const filtered = searchOf({ ...search, page: undefined, create: undefined, detail: undefined })
  const here = { ...filtered, ...(page > 1 && { page }) }
  const close = () => navigate({ search: here })
  const apply = ({ recipient: person, status: statuses, wallets: from, ...days }: PayoutFilters) => {
    setFiltering(false)
    afterPaint(() => {
      setRecipient(person)
      navigate({ search: { ...days, ...searchOf({ status: statuses?.join(','), wallets: from?.join(',') }) } })
    })
  }
  const active = useActiveFilters(filters, apply)
  const clear = () => apply({})
  const reclaimableCount = reclaimable.data?.page.total ?? 0
  const outstanding = overview.data?.pendingPayouts
  const openCreate = () => navigate({ search: { ...here, create: true } })

  const columns = useMemo(
    (): Column<Escrow>[] => [
      { header: 'Date', cell: (payout) => <Time iso={payout.createdAt} /> },
      {
        header: 'Recipient',
        cell: (payout) => (
          <>
            <span className="wrap-anywhere">{recipientOf(payout)}</span>
            {payout.delivery && isUndelivered(payout) && (
              <p className="text-amber text-small">{deliveryText(payout.delivery)}</p>
            )}
            {payout.memo && (
              <p className="line-clamp-1 max-w-72 wrap-anywhere text-muted max-md:ml-auto">{payout.memo}</p>
            )}
          </>
        ),
      },
      {
        header: 'Amount',
        align: 'right',
        cell: (payout) => <Amount value={payout.amount} chain={payout.sourceWallet?.chain} />,
      },
      { header: 'Status', cell: (payout) => <PayoutStatusChip payout={payout} /> },
      {
        header: 'Actions',
        bare: true,
        align: 'right',
        cell: (payout) => (
          <span className="inline-flex gap-1">
            <IconButton
              label="View details"
              aria-label={`View details of ${nameOf(payout)}`}
              onClick={() => navigate({ search: (old) => ({ ...old, detail: payout.id }) })}
            >
              <Eye aria-hidden="true" className="size-4" />
            </IconButton>
            {canReclaim(payout) && (
              <IconButton
                ref={keepFocus}
                label="Reclaim funds"
                aria-label={`Reclaim funds of ${nameOf(payout)}`}
                onClick={() => setReclaiming(payout)}
              >
                <Undo2 aria-hidden="true" className="size-4" />
              </IconButton>
            )}
          </span>
        ),
      },
    ],
    [navigate],
  )

  return (
    <>
      <PageHeader title="Payout Management" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <ExportButton name="bursar-payouts.csv" disabled={!list.data?.page.total} load={() => exportPayouts(filters)} />
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
      {outstanding && outstanding.count > 0 && (
        <p className="mb-4 text-muted">
          Total outstanding: <Amount value={outstanding.amount} className="font-semibold text-ink" /> in{' '}
          {plural(outstanding.count, 'payout')} not claimed yet
        </p>
      )}
      <FilterChips active={active} onClear={clear} />
      <PagedCard
        noun="payouts"
        list={list}
        columns={columns}
        isFiltered={active.length > 0}
        isWaiting={isWaiting}
        onClear={clear}
        onPage={(next) => afterPaint(() => navigate({ search: next > 1 ? { ...filtered, page: next } : filtered }))}
        empty={
          <EmptyState title="No payouts found" action={<Button onClick={openCreate}>Create Your First Payout</Button>}>
            Your payouts will appear here.
          </EmptyState>
        }
      />
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

/** Tells the buttons of one row from those of another in their accessible names. */
const nameOf = (payout: Escrow) => `${payout.amount} USDC to ${recipientOf(payout)}`
