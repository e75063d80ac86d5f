import { TitledCard } from '#web/components/Card.tsx'
import { LazyWalletSection } from '#web/wallet/lazyWallet.tsx'

/** The wallet connected in this browser, and the account's public address. */
export function ConnectedWallet() {
  return (
    <TitledCard id="connected-wallet" title="Connected wallet">
      <LazyWalletSection />
    </TitledCard>
  )
}
