import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import { walletName as nameRule } from '#domain/walletRules.ts'
import { AddressBox, ExplorerLink } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { FormDialog, formResolver, TextField } from '#web/components/forms.tsx'
import { QrCode } from '#web/components/QrCode.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { networkName, unitOf } from '#web/lib/networks.ts'
import { useAction } from '#web/lib/useAction.ts'
import { configQuery } from '#web/queries/config.ts'
import { deleteWallet, mintTestUsdc, renameWallet, type Wallet, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from './walletSearch.ts'

/** The wallet's address, as text and as a QR code. */
export function ReceiveDialog(props: WalletDialogProps) {
  const { wallet } = props
  return (
    <Dialog
      isViewOnly
      title={`Receive USDC in ${walletName(wallet)}`}
      description={`Send only USDC, and only on the ${networkName(wallet.chain)} network. Other tokens or networks may be lost.`}
      onClose={props.onClose}
      footer={<CopyButton text={wallet.address} what="address" wide />}
    >
      <div className="flex flex-col items-center gap-4">
        <QrCode text={wallet.address} label={`QR code of ${wallet.address}`} />
        <AddressBox address={wallet.address} />
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
  const mint = useAction(() => mintTestUsdc(props.wallet), {
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

type Values = { name: string }
const resolver = formResolver<Values>(({ name }) => ({ name: problemIn(readText(nameRule, name)) }))

export function RenameDialog(props: WalletDialogProps) {
  const { wallet } = props
  const form = useForm<Values>({ resolver, defaultValues: { name: wallet.name ?? '' } })
  return (
    <FormDialog
      title="Rename Wallet"
      subject={wallet.id}
      form={form}
      onClose={props.onClose}
      submit={['Rename Wallet', 'Renaming...']}
      send={async ({ name }) => {
        await renameWallet(wallet.id, name.trim() || null)
        props.onClose()
      }}
      fallback="Failed to rename wallet"
    >
      <TextField
        form={form}
        name="name"
        label="Wallet name"
        hint="Leave it empty to clear the name. The wallet is then shown as “Unnamed Wallet”."
        autoComplete="off"
        placeholder="Unnamed Wallet"
      />
    </FormDialog>
  )
}

/** Removes a wallet from the dashboard. Its money stays on chain, so the user must confirm that they have its key. */
export function DeleteDialog(props: WalletDialogProps) {
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
      missing={isEmpty || keyIsKept ? null : 'Tick the box first: you keep the key of its money.'}
      confirm={['Delete Wallet', 'Deleting...']}
      fallback="Failed to delete wallet. Please try again."
      act={() => deleteWallet(wallet.id)}
      done={`${walletName(wallet)} was deleted.`}
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
          {`It is not on ${networkName(wallet.chain)}${wallet.status === 'deploying' ? ' yet, and Bursar stops creating it' : ''}.`}{' '}
          Nobody should send money to its address. If it is created after all, or money arrives there, only your owner
          key and the wallet’s recovery sheet give access to it.
        </p>
      ) : (
        <>
          <p>{whatStays(wallet, balance)}</p>
          <AddressBox address={wallet.address} />
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
