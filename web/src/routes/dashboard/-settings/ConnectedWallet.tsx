import { Card } from '#web/components/Card.tsx'
import { LazyWalletSection } from '#web/wallet/lazyWallet.tsx'

/** The wallet connected in this browser, and the account's public address. */
export function ConnectedWallet() {
  return (
    <Card aria-labelledby="connected-wallet" className="p-5">
      <h2 id="connected-wallet" className="mb-1 font-semibold">
        Connected wallet
      </h2>
      <LazyWalletSection />
    </Card>
  )
}
