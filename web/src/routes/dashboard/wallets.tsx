import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Import, Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { EmptyState, ErrorState, Skeleton } from '#web/components/states.tsx'
import { flagsOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { useWhileHere } from '#web/lib/useWhileHere.ts'
import { useAllowed } from '#web/queries/people.ts'
import { isMoving, refreshWallets, type Wallet, walletsQuery } from '#web/queries/wallets.ts'
import { NextStepSlot } from './-overview/NextStepSlot.tsx'
import { isLate } from './-wallets/deployment.ts'
import { WalletCard } from './-wallets/WalletCard.tsx'
import { WalletsSummary } from './-wallets/WalletsSummary.tsx'
import { walletActions } from './-wallets/walletActions.ts'
import { type WalletActionId, walletActionIds, walletSearch } from './-wallets/walletSearch.ts'

const read = (search: Record<string, unknown>) => ({
  ...flagsOf(search, ['deploy', 'import']),
  ...walletSearch(search),
})

export const Route = createFileRoute('/dashboard/wallets')({
  validateSearch: read,
  component: WalletsPage,
})

const DeployDialog = lazy(() => import('./-wallets/DeployDialog.tsx'))
const ImportDialog = lazy(() => import('./-wallets/ImportDialog.tsx'))

const refreshMs = 30_000 // 30 seconds
/** While money is on its way, or a wallet is being created. */
const movingMs = 2_000 // 2 seconds

function WalletsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const whileHere = useWhileHere()
  const isAllowed = useAllowed()
  const action = walletActionIds.find((id) => search[id] !== undefined)
  const subjectIn = (list: Wallet[] | undefined) => action && list?.find((wallet) => wallet.id === search[action])
  const pageDialog = Boolean(search.deploy || search.import)
  const wallets = useQuery({
    ...walletsQuery,
    refetchInterval: (query) =>
      query.state.data?.some(isMoving)
        ? movingMs
        : pageDialog || subjectIn(query.state.data)
          ? false
          : query.state.data?.some((wallet) => wallet.status === 'deploying' && !isLate(wallet))
            ? movingMs
            : refreshMs,
  })
  useTitle('Wallets')

  const close = () => {
    refreshWallets()
    whileHere(() => navigate({ search: {}, replace: true }))
  }
  const subject = subjectIn(wallets.data)
  const dialogOpen = pageDialog || subject !== undefined
  const open = (id: WalletActionId, walletId: string) => navigate({ search: { [id]: walletId } })
  const ActionDialog = action && isAllowed(walletActions[action].call) && walletActions[action].Dialog

  return (
    <>
      <PageHeader title="Wallets">
        {isAllowed('wallets.importWallet') && (
          <Button look="secondary" onClick={() => navigate({ search: { import: true } })}>
            <Import aria-hidden="true" className="size-4" />
            Add Existing
          </Button>
        )}
        {isAllowed('wallets.deploy') && (
          <Button onClick={() => navigate({ search: { deploy: true } })}>
            <Plus aria-hidden="true" className="size-4" />
            New Wallet
          </Button>
        )}
      </PageHeader>
      <NextStepSlot />
      {wallets.data ? (
        wallets.data.length === 0 ? (
          <Card>
            <EmptyState
              title="No wallets yet"
              action={
                isAllowed('wallets.deploy') && (
                  <Button onClick={() => navigate({ search: { deploy: true } })}>Create Your First Wallet</Button>
                )
              }
            >
              A wallet holds USDC on Base. You keep its owner key; agents spend from it within the limits you set.
            </EmptyState>
          </Card>
        ) : (
          <>
            <WalletsSummary wallets={wallets.data} />
            <ul className="grid grid-cols-1 gap-4 md:grid-cols-2 xl:grid-cols-3">
              {wallets.data.map((wallet) => (
                <li key={wallet.id} className="flex min-w-0">
                  <WalletCard
                    wallet={wallet}
                    refreshMs={dialogOpen ? false : refreshMs}
                    onAction={(id) => open(id, wallet.id)}
                  />
                </li>
              ))}
            </ul>
          </>
        )
      ) : wallets.error ? (
        <Card>
          <ErrorState error={wallets.error} onRetry={() => wallets.refetch()} />
        </Card>
      ) : (
        <output aria-label="Loading" className="grid grid-cols-1 gap-4 md:grid-cols-2 xl:grid-cols-3">
          {[1, 2, 3].map((n) => (
            <Skeleton key={n} className="h-64" />
          ))}
        </output>
      )}
      <Suspense>
        {search.deploy && isAllowed('wallets.deploy') && <DeployDialog onClose={close} />}
        {search.import && isAllowed('wallets.importWallet') && <ImportDialog onClose={close} />}
        {ActionDialog && subject && <ActionDialog key={`${action} ${subject.id}`} wallet={subject} onClose={close} />}
      </Suspense>
    </>
  )
}
