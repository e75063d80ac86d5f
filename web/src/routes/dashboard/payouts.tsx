import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Eye, Plus, Undo2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Amount } from '../../components/Amount.tsx'
import { Button, IconButton } from '../../components/Button.tsx'
import { Card, PageHeader } from '../../components/Card.tsx'
import { type Column, DataTable } from '../../components/DataTable.tsx'
import { Pager } from '../../components/Pager.tsx'
import { PayoutStatusChip } from '../../components/PayoutStatusChip.tsx'
import { Syncing } from '../../components/Syncing.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../components/states.tsx'
import { Time } from '../../components/Time.tsx'
import { useTitle } from '../../lib/hooks.ts'
import { defined, flagOf, pageOf, textOf } from '../../lib/search.ts'
import { canReclaim, type Escrow, payoutsQuery, recipientOf, refreshPayouts } from '../../queries/payouts.ts'

export const Route = createFileRoute('/dashboard/payouts')({
  validateSearch: (search: Record<string, unknown>) =>
    defined({ page: pageOf(search.page), create: flagOf(search.create), detail: textOf(search.detail) }),
  component: PayoutsPage,
})

const CreatePayoutDialog = lazy(() => import('./-payouts/CreatePayoutDialog.tsx'))
const PayoutDialog = lazy(() => import('./-payouts/PayoutDialog.tsx'))
const ReclaimDialog = lazy(() => import('./-payouts/ReclaimDialog.tsx'))

const refreshMs = 30_000 // 30 seconds

function PayoutsPage() {
  const { page = 1, create, detail } = Route.useSearch()
  const navigate = Route.useNavigate()
  const [reclaiming, setReclaiming] = useState<Escrow | null>(null)
  const list = useQuery({ ...payoutsQuery(page), refetchInterval: refreshMs })
  useTitle('Payouts')

  const here = page > 1 ? { page } : {}
  const close = () => navigate({ search: here })
  const openCreate = () => navigate({ search: { ...here, create: true } })

  const columns: Column<Escrow>[] = [
    { header: 'Date', cell: (payout) => <Time iso={payout.createdAt} /> },
    {
      header: 'Recipient',
      cell: (payout) => (
        <>
          <span className="wrap-anywhere">{recipientOf(payout)}</span>
          {payout.memo && (
            <p className="line-clamp-1 max-w-72 wrap-anywhere text-muted max-md:ml-auto">{payout.memo}</p>
          )}
        </>
      ),
    },
    { header: 'Amount', align: 'right', cell: (payout) => <Amount value={payout.amount} /> },
    { header: 'Status', cell: (payout) => <PayoutStatusChip payout={payout} /> },
    {
      header: 'Actions',
      bare: true,
      align: 'right',
      cell: (payout) => (
        <span className="inline-flex gap-1">
          <IconButton label="View details" onClick={() => navigate({ search: { ...here, detail: payout.id } })}>
            <Eye aria-hidden="true" className="size-4" />
          </IconButton>
          {canReclaim(payout) && (
            <IconButton label="Reclaim funds" onClick={() => setReclaiming(payout)}>
              <Undo2 aria-hidden="true" className="size-4" />
            </IconButton>
          )}
        </span>
      ),
    },
  ]

  return (
    <>
      <PageHeader title="Payout Management" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <Button onClick={openCreate}>
          <Plus aria-hidden="true" className="size-4" />
          Create Payout
        </Button>
      </PageHeader>
      <Card className="overflow-hidden">
        {list.data ? (
          list.data.rows.length === 0 ? (
            <EmptyState
              title="No payouts found"
              action={<Button onClick={openCreate}>Create Your First Payout</Button>}
            >
              Your payouts will appear here.
            </EmptyState>
          ) : (
            <DataTable
              label="Payouts"
              columns={columns}
              rows={list.data.rows}
              keyOf={(payout) => payout.id}
              stale={list.isPlaceholderData}
            />
          )
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={() => list.refetch()} />
        ) : (
          <SkeletonRows rows={8} />
        )}
        {list.data && (
          <Pager
            page={list.data.page}
            noun="payouts"
            onPage={(next) => navigate({ search: next > 1 ? { page: next } : {} })}
          />
        )}
      </Card>
      <Suspense>
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
