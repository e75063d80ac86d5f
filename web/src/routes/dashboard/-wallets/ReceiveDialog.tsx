import { useQuery } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import { ExplorerLink, FullAddress } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { QrCode } from '#web/components/QrCode.tsx'
import { networkName } from '#web/lib/networks.ts'
import { useAction } from '#web/lib/useAction.ts'
import { configQuery } from '#web/queries/config.ts'
import { mintTestUsdc, refreshWallets, type Wallet, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from './walletDialog.ts'

/** The wallet's address, as text and as a QR code. */
export default function ReceiveDialog(props: WalletDialogProps) {
  const { wallet } = props
  return (
    <Dialog
      title={`Receive USDC in ${walletName(wallet)}`}
      description={`Send only USDC, and only on the ${networkName(wallet.chain)} network. Other tokens or networks may be lost.`}
      onClose={props.onClose}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
          <CopyButton text={wallet.address} what="address" wide />
        </>
      }
    >
      <div className="flex flex-col items-center gap-4">
        <QrCode text={wallet.address} label={`QR code of ${wallet.address}`} />
        <div className="rounded-control bg-sunken px-4 py-3">
          <FullAddress address={wallet.address} />
        </div>
        <ExplorerLink
          chain={wallet.chain}
          path={`address/${wallet.address}`}
          label="View address in explorer"
          text="View in explorer"
        />
        <TestMoney wallet={wallet} />
      </div>
    </Dialog>
  )
}

/** Local stacks only: mints test USDC. */
function TestMoney(props: { wallet: Wallet }) {
  const config = useQuery(configQuery).data
  const { address, chain } = props.wallet
  const mint = useAction(() => mintTestUsdc(address, chain).then(refreshWallets), {
    onDone: () => toast.success('100.00 test USDC is on its way.'),
    onFailed: () => void toast.error('The local faucet did not respond.'),
  })
  if (config?.environment !== 'local') return null
  return (
    <Button look="quiet" busy={mint.busy} onClick={() => mint.start()}>
      Get 100.00 test USDC
    </Button>
  )
}
