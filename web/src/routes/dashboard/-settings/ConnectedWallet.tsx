import { Card } from '../../../components/Card.tsx'
import { WalletOfSettings } from '../../../wallet/lazyWallet.tsx'

/** The wallet of this browser, and the address that stands for the account. */
export function ConnectedWallet() {
  return (
    <Card aria-labelledby="connected-wallet" className="p-5">
      <h2 id="connected-wallet" className="mb-1 font-semibold">
        Connected wallet
      </h2>
      <WalletOfSettings />
    </Card>
  )
}
