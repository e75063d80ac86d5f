import { ExplorerLink, FullAddress } from '../../../components/Address.tsx'
import { Button } from '../../../components/Button.tsx'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { QrCode } from '../../../components/QrCode.tsx'
import { type Wallet, walletName } from '../../../queries/wallets.ts'

export default function ReceiveDialog(props: { wallet: Wallet; onClose: () => void }) {
  const { wallet } = props
  const network = wallet.chain === 'base' ? 'Base' : 'Base Sepolia'
  return (
    <Dialog
      title={`Receive USDC in ${walletName(wallet)}`}
      description={`Send only USDC, and only on the ${network} network. Other tokens or networks may be lost.`}
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
        <div className="rounded-control bg-sunken py-3 pr-4 pl-8">
          <FullAddress address={wallet.address} />
        </div>
        <ExplorerLink
          chain={wallet.chain}
          path={`address/${wallet.address}`}
          label="View address in explorer"
          text="View in explorer"
        />
      </div>
    </Dialog>
  )
}
