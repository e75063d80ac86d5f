import { accountExposure, type Exposure, providerDaily } from '#domain/exposure.ts'
import { formatUsdc } from '#domain/money.ts'
import { Balance } from '#web/components/Amount.tsx'
import { Card } from '#web/components/Card.tsx'
import { dollars, microOf } from '#web/lib/amounts.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { ownerWord } from '#web/lib/otherAccount.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import type { Wallet } from '#web/queries/wallets.ts'

const sumOf = (amounts: string[]) => formatUsdc(amounts.reduce<bigint>((sum, amount) => sum + microOf(amount), 0n))

const exposureOfWallet = (wallet: Wallet): Exposure | null =>
  wallet.exposure && {
    canLeave: microOf(wallet.exposure.canLeave),
    canSend: microOf(wallet.exposure.canSend),
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
    <Card accent aria-label="All wallets" data-testid="wallets-summary" className="mb-5 p-5">
      <div className="flex flex-wrap items-center gap-x-10 gap-y-3">
        <div>
          <p className="text-muted text-small">Total balance</p>
          <p data-testid="total">
            {known.length === 0 && missing > 0 ? (
              <span className="font-semibold text-title">Unavailable</span>
            ) : (
              <Balance value={sumOf(known)} className="font-semibold text-figure max-[340px]:text-title" />
            )}
          </p>
        </div>
        <p className="min-w-60 flex-1">
          {exposure ? (
            <>
              Without {ownerWord()} at most <Sum testId="can-leave" value={formatUsdc(exposure.canLeave)} /> can leave
              now; {ownerWord() === 'you' ? 'your agents' : 'agents'} can use{' '}
              <Sum testId="agents-can" value={formatUsdc(exposure.agents)} /> of it.
            </>
          ) : (
            <>
              How much can leave without {ownerWord()}: <span data-testid="can-leave">Unavailable</span>
            </>
          )}
        </p>
      </div>
      <div className="mt-3 space-y-1 text-muted text-small">
        {missing > 0 && known.length > 0 && (
          <p>
            {plural(missing, 'wallet')} {missing === 1 ? 'is' : 'are'} not included: the balance is unavailable.
          </p>
        )}
        {exposure && (
          <details>
            <summary className="w-fit cursor-pointer rounded-sm underline underline-offset-3 pointer-coarse:py-2.5">
              Why?
            </summary>
            <p className="mt-1">
              “Without {ownerWord()}” means without the owner key: what session keys may still pay, and all of the
              imported wallets. In unclaimed payouts:{' '}
              <Sum testId="in-payouts" value={sumOf(real.map(({ inPayouts }) => inPayouts))} />
            </p>
            {exposure.canRenew && (
              <p data-testid="renewal">
                While rotation authority is on, Bursar can renew a wallet’s session key by up to{' '}
                {dollars(providerDaily)} {unitOf(primaryChain)} a day.
              </p>
            )}
          </details>
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

const Sum = (props: { testId: string; value: string }) => (
  <span data-testid={props.testId}>
    <Balance value={props.value} className="font-semibold text-ink" />
  </span>
)
