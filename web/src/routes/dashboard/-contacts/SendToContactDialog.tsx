import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../components/Button.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../../components/states.tsx'
import { cutAmount } from '../../../lib/format.ts'
import { networkWarning } from '../../../lib/networks.ts'
import type { Contact } from '../../../queries/contacts.ts'
import { canPay, type Wallet, walletName, walletsQuery } from '../../../queries/wallets.ts'
import { spendable } from '../-wallets/payment.ts'
import SendDialog from '../-wallets/SendDialog.tsx'

/** Chooses the wallet that pays, then opens the send dialog. */
export default function SendToContactDialog(props: { contact: Contact; onClose: () => void }) {
  const { contact, onClose } = props
  const wallets = useQuery(walletsQuery)
  const [walletId, setWalletId] = useState<string | null>(null)
  const wallet = wallets.data?.find(({ id }) => id === walletId)
  if (wallet) return <SendDialog wallet={wallet} contact={contact} onClose={onClose} />
  const usable = wallets.data?.filter(canPay)
  return (
    <Dialog
      title="Choose a wallet"
      description={`To pay ${contact.name} from.`}
      onClose={onClose}
      footer={
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
      }
    >
      {usable ? (
        usable.length === 0 ? (
          <EmptyState title="No wallets found">Please create a wallet first.</EmptyState>
        ) : (
          <ul className="space-y-2">
            {usable.map((one) => (
              <li key={one.id}>
                <WalletChoice wallet={one} first={one === usable[0]} onChoose={() => setWalletId(one.id)} />
              </li>
            ))}
          </ul>
        )
      ) : wallets.error ? (
        <ErrorState error={wallets.error} onRetry={() => wallets.refetch()} />
      ) : (
        <SkeletonRows rows={2} className="h-14" />
      )}
    </Dialog>
  )
}

function WalletChoice(props: { wallet: Wallet; first: boolean; onChoose: () => void }) {
  const { wallet } = props
  const available = spendable(wallet)
  return (
    <button
      type="button"
      data-first={props.first || undefined}
      onClick={props.onChoose}
      className="flex min-h-14 w-full items-center justify-between gap-4 rounded-control border border-control px-4 py-2 text-left hover:bg-sunken"
    >
      <span className="min-w-0">
        <span className="block truncate font-medium">{walletName(wallet)}</span>
        <span className="block text-muted text-small">{networkWarning(wallet.chain)}</span>
      </span>
      <span className="shrink-0 text-right">
        {available === null ? 'Unavailable' : `$${cutAmount(available)}`}
        <span className="block text-muted text-small">available</span>
      </span>
    </button>
  )
}
