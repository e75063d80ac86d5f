import { providerDaily } from '#domain/exposure.ts'
import { Balance } from '#web/components/Amount.tsx'
import { wholeDollars } from '#web/lib/amounts.ts'
import { unitOf } from '#web/lib/networks.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import type { Wallet } from '#web/queries/wallets.ts'

/** How much of this wallet's money can move without its owner. Shown on the primary network only. */
export function WalletExposure(props: { wallet: Wallet }) {
  const primaryChain = usePrimaryChain()
  const { exposure, chain, walletType, status } = props.wallet
  if (exposure === null || chain !== primaryChain || status !== 'active') return null
  const note =
    walletType === 'imported'
      ? 'We keep this wallet’s key, so all of it counts.'
      : exposure.canRenew
        ? `This is what the session key may still pay. We can renew it by up to ${wholeDollars(providerDaily)} ${unitOf(chain)} a day.`
        : 'This is what the session key may still pay. Only you can renew it.'
  return (
    <div data-testid="wallet-exposure" className="mt-4 text-small">
      <dl>
        <div className="flex items-end justify-between gap-x-3">
          <dt className="text-muted">Most that can leave without you</dt>
          <dd className="shrink-0" data-testid="wallet-can-leave">
            <Balance value={exposure.canLeave} />
          </dd>
        </div>
        <div className="flex items-end justify-between gap-x-3">
          <dt className="text-muted">Of that, agents can spend</dt>
          <dd className="shrink-0" data-testid="wallet-agents-can">
            <Balance value={exposure.agents} />
          </dd>
        </div>
      </dl>
      <p className="mt-1 text-muted">{note}</p>
    </div>
  )
}
