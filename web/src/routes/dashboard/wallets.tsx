import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Button } from '../../components/Button.tsx'
import { Card, PageHeader } from '../../components/Card.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx'
import { useTitle } from '../../lib/hooks.ts'
import { defined, flagOf, textOf } from '../../lib/search.ts'
import { refreshWallets, walletsQuery } from '../../queries/wallets.ts'
import { WalletCard } from './-wallets/WalletCard.tsx'

export const Route = createFileRoute('/dashboard/wallets')({
  validateSearch: (search: Record<string, unknown>) =>
    defined({ deploy: flagOf(search.deploy), send: textOf(search.send), receive: textOf(search.receive) }),
  component: WalletsPage,
})

const DeployDialog = lazy(() => import('./-wallets/DeployDialog.tsx'))
const SendDialog = lazy(() => import('./-wallets/SendDialog.tsx'))
const ReceiveDialog = lazy(() => import('./-wallets/ReceiveDialog.tsx'))

const refreshMs = 30_000 // 30 seconds
const deployingMs = 2_000 // 2 seconds

function WalletsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const dialogOpen = Boolean(search.deploy || search.send || search.receive)
  const wallets = useQuery({
    ...walletsQuery,
    refetchInterval: (query) =>
      dialogOpen ? false : query.state.data?.some((wallet) => wallet.status === 'deploying') ? deployingMs : refreshMs,
  })
  useTitle('Wallets')

  const close = () => {
    refreshWallets()
    navigate({ search: {} })
  }
  const find = (walletId: string | undefined) => wallets.data?.find((wallet) => wallet.id === walletId)
  const sending = find(search.send)
  const receiving = find(search.receive)

  return (
    <>
      <PageHeader title="Wallets">
        <Button onClick={() => navigate({ search: { deploy: true } })}>
          <Plus aria-hidden="true" className="size-4" />
          New Wallet
        </Button>
      </PageHeader>
      {wallets.data ? (
        wallets.data.length === 0 ? (
          <Card>
            <EmptyState
              title="No wallets yet"
              action={<Button onClick={() => navigate({ search: { deploy: true } })}>Create Your First Wallet</Button>}
            >
              A wallet holds USDC on Base. You keep its owner key; agents spend from it within the limits you set.
            </EmptyState>
          </Card>
        ) : (
          <ul className="grid grid-cols-1 gap-4 md:grid-cols-2 xl:grid-cols-3">
            {wallets.data.map((wallet) => (
              <li key={wallet.id} className="flex min-w-0">
                <WalletCard
                  wallet={wallet}
                  refreshMs={dialogOpen ? false : refreshMs}
                  busy={wallets.isFetching}
                  onRetry={() => wallets.refetch()}
                  onSend={() => navigate({ search: { send: wallet.id } })}
                  onReceive={() => navigate({ search: { receive: wallet.id } })}
                />
              </li>
            ))}
          </ul>
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
        {search.deploy && <DeployDialog onClose={close} />}
        {sending && <SendDialog key={sending.id} wallet={sending} onClose={close} />}
        {receiving && <ReceiveDialog wallet={receiving} onClose={close} />}
      </Suspense>
    </>
  )
}
