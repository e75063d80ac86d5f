import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Import, Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { accountExposure, type Exposure, providerDaily } from '#domain/exposure.ts'
import { formatUsdc } from '#domain/money.ts'
import { Balance } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { EmptyState, ErrorState, Skeleton } from '#web/components/states.tsx'
import { microOf, wholeDollars } from '#web/lib/amounts.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { flagsOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { refreshWallets, type Wallet, walletsQuery } from '#web/queries/wallets.ts'
import { isLate } from './-wallets/deployment.ts'
import { WalletCard } from './-wallets/WalletCard.tsx'
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
const deployingMs = 2_000 // 2 seconds

function WalletsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const action = walletActionIds.find((id) => search[id] !== undefined)
  const subjectIn = (list: Wallet[] | undefined) => action && list?.find((wallet) => wallet.id === search[action])
  const pageDialog = Boolean(search.deploy || search.import)
  const wallets = useQuery({
    ...walletsQuery,
    refetchInterval: (query) =>
      pageDialog || subjectIn(query.state.data)
        ? false
        : query.state.data?.some((wallet) => wallet.status === 'deploying' && !isLate(wallet))
          ? deployingMs
          : refreshMs,
  })
  useTitle('Wallets')

  const close = () => {
    refreshWallets()
    navigate({ search: {}, replace: true })
  }
  const subject = subjectIn(wallets.data)
  const dialogOpen = pageDialog || subject !== undefined
  const open = (id: WalletActionId, walletId: string) => navigate({ search: { [id]: walletId } })
  const ActionDialog = action && walletActions[action].Dialog

  return (
    <>
      <PageHeader title="Wallets">
        <Button look="secondary" onClick={() => navigate({ search: { import: true } })}>
          <Import aria-hidden="true" className="size-4" />
          Add Existing
        </Button>
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
        {search.deploy && <DeployDialog onClose={close} />}
        {search.import && <ImportDialog onClose={close} />}
        {ActionDialog && subject && <ActionDialog key={`${action} ${subject.id}`} wallet={subject} onClose={close} />}
      </Suspense>
    </>
  )
}

const sumOf = (amounts: string[]) => formatUsdc(amounts.reduce<bigint>((sum, amount) => sum + microOf(amount), 0n))

const exposureOfWallet = (wallet: Wallet): Exposure | null =>
  wallet.exposure && {
    canLeave: microOf(wallet.exposure.canLeave),
    agents: microOf(wallet.exposure.agents),
    inPayouts: microOf(wallet.inPayouts),
    canRenew: wallet.exposure.canRenew,
  }

/** The total on the primary network and how much of it can move without its owner. Test money is shown separately, never added. */
function WalletsSummary(props: { wallets: Wallet[] }) {
  const primaryChain = usePrimaryChain()
  const real = props.wallets.filter((wallet) => wallet.chain === primaryChain)
  const other = props.wallets.filter((wallet) => wallet.chain !== primaryChain)
  const known = real.flatMap(({ usdcBalance }) => (usdcBalance ? [usdcBalance.balance] : []))
  const missing = real.length - known.length
  const exposure = accountExposure(real.filter((wallet) => wallet.status === 'active').map(exposureOfWallet))
  const otherBalances = other.flatMap(({ usdcBalance }) => (usdcBalance ? [usdcBalance.balance] : []))
  return (
    <Card aria-label="All wallets" data-testid="wallets-summary" className="mb-5 p-5">
      <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-2 sm:gap-y-4 lg:grid-cols-[auto_1fr_1fr_1fr]">
        <div className="max-sm:mb-2 lg:pr-6">
          <dt className="text-muted text-small">Total balance</dt>
          <dd data-testid="total">
            {known.length === 0 && missing > 0 ? (
              <span className="font-semibold text-title">Unavailable</span>
            ) : (
              <Balance value={sumOf(known)} className="font-semibold text-figure max-[340px]:text-title" />
            )}
          </dd>
        </div>
        <Figure
          name="Most that can leave without you now"
          testId="can-leave"
          value={exposure && formatUsdc(exposure.canLeave)}
        />
        <Figure name="Of that, agents can spend" testId="agents-can" value={exposure && formatUsdc(exposure.agents)} />
        <Figure name="In unclaimed payouts" testId="in-payouts" value={sumOf(real.map(({ inPayouts }) => inPayouts))} />
      </dl>
      <div className="mt-3 space-y-0.5 text-muted text-small">
        {missing > 0 && known.length > 0 && (
          <p>
            {plural(missing, 'wallet')} {missing === 1 ? 'is' : 'are'} not included: the balance is unavailable.
          </p>
        )}
        {exposure && (
          <p>
            “Without you” means without your owner key: what session keys may still pay, and all of your imported
            wallets.
          </p>
        )}
        {exposure?.canRenew && (
          <p data-testid="renewal">
            While rotation authority is on, Bursar can renew a wallet’s session key by up to{' '}
            {wholeDollars(providerDaily)} {unitOf(primaryChain)} a day.
          </p>
        )}
        {otherBalances.length > 0 && (
          <p data-testid="test-total">
            {primaryChain === 'base' ? 'On test networks: ' : 'On Base: '}${formatAmount(sumOf(otherBalances))} of{' '}
            {unitOf(primaryChain === 'base' ? 'base-sepolia' : 'base')}.
          </p>
        )}
      </div>
    </Card>
  )
}

function Figure(props: { name: string; testId: string; value: string | null }) {
  return (
    <div className="max-sm:flex max-sm:flex-wrap max-sm:items-baseline max-sm:justify-between max-sm:gap-x-3">
      <dt className="text-balance text-muted text-small">{props.name}</dt>
      <dd data-testid={props.testId} className="font-semibold sm:text-title">
        {props.value === null ? 'Unavailable' : <Balance value={props.value} />}
      </dd>
    </div>
  )
}
