import { accountExposure, type Exposure, providerDaily } from '#domain/exposure.ts'
import { formatUsdc } from '#domain/money.ts'
import { Balance } from '#web/components/Amount.tsx'
import { Card } from '#web/components/Card.tsx'
import { microOf, wholeDollars } from '#web/lib/amounts.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import type { Wallet } from '#web/queries/wallets.ts'

const sumOf = (amounts: string[]) => formatUsdc(amounts.reduce<bigint>((sum, amount) => sum + microOf(amount), 0n))

const exposureOfWallet = (wallet: Wallet): Exposure | null =>
  wallet.exposure && {
    canLeave: microOf(wallet.exposure.canLeave),
    agents: microOf(wallet.exposure.agents),
    inPayouts: microOf(wallet.inPayouts),
    canRenew: wallet.exposure.canRenew,
  }

/** The total on the primary network and how much of it can move without its owner. Test money is shown separately, never added. */
export function WalletsSummary(props: { wallets: Wallet[] }) {
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
