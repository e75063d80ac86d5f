import { useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { FullAddress } from '#web/components/Address.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { Checkbox } from '#web/components/Field.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { networkName, unitOf } from '#web/lib/networks.ts'
import { deleteWallet, refreshWallets, type Wallet, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from './walletDialog.ts'

/** Removes a wallet from the dashboard. Its money stays on chain, so the user must confirm that they have its key. */
export default function DeleteDialog(props: WalletDialogProps) {
  const { wallet } = props
  const [keyIsKept, setKeyIsKept] = useState(false)
  const smart = wallet.walletType === 'smart'
  const neverDeployed = wallet.status !== 'active'
  const balance = wallet.usdcBalance?.balance ?? null
  const isEmpty = neverDeployed || balance === '0'
  return (
    <ConfirmDialog
      title="Delete Wallet"
      danger
      disabled={!isEmpty && !keyIsKept}
      confirm={['Delete Wallet', 'Deleting...']}
      fallback="Failed to delete wallet. Please try again."
      act={async () => {
        await deleteWallet(wallet.id)
        await refreshWallets()
        toast.success(`${walletName(wallet)} was deleted.`)
      }}
      onClose={props.onClose}
    >
      <p>
        <strong className="break-words font-semibold">{walletName(wallet)}</strong> is removed from your dashboard
        {neverDeployed
          ? '.'
          : smart
            ? ', and our session key for it is destroyed.'
            : ', and our copy of its key is destroyed.'}{' '}
        Its transactions stay in your history.
      </p>
      {neverDeployed ? (
        <p>
          It is not on {networkName(wallet.chain)}
          {wallet.status === 'deploying' && ' yet, and Bursar stops creating it'}. Nobody should send money to its
          address. If it is created after all, or money arrives there, only your owner key and the wallet’s recovery
          sheet give access to it.
        </p>
      ) : (
        <>
          <p>{whatStays(wallet, balance)}</p>
          <div className="rounded-control bg-sunken px-4 py-3">
            <FullAddress address={wallet.address} />
          </div>
        </>
      )}
      {!isEmpty && (
        <Checkbox
          data-first
          checked={keyIsKept}
          onChange={(event) => setKeyIsKept(event.target.checked)}
          label={smart ? 'I have the owner key of this wallet.' : 'I have my own copy of this wallet’s private key.'}
          hint="No one can restore it for you."
        />
      )}
    </ConfirmDialog>
  )
}

function whatStays(wallet: Wallet, balance: string | null): string {
  const key = wallet.walletType === 'smart' ? 'owner key' : 'private key'
  if (balance === '0') return `The wallet is empty. Money sent to its address later can still be moved with the ${key}.`
  const amount = balance === null ? 'Any balance' : `Its balance of $${formatAmount(balance)} ${unitOf(wallet.chain)}`
  return `${amount} stays at the wallet’s address, where only the ${key} can move it.`
}
