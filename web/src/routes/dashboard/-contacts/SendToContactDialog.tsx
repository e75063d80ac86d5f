import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { capitalized } from '#domain/capitalized.ts'
import { Dialog } from '#web/components/Dialog.tsx'
import { Loaded, SkeletonRows } from '#web/components/states.tsx'
import { cutAmount } from '#web/lib/format.ts'
import { networkWarning } from '#web/lib/networks.ts'
import type { Contact } from '#web/queries/contacts.ts'
import { blockedBecause, canPay, type Wallet, walletName, walletsQuery } from '#web/queries/wallets.ts'
import SendDialog from '../-send/SendDialog.tsx'
import { NoWalletNotice } from '../-send/WalletField.tsx'

/** Asks which wallet pays, then opens the send dialog. */
export default function SendToContactDialog(props: { contact: Contact; onClose: () => void }) {
  const { contact, onClose } = props
  const wallets = useQuery(walletsQuery)
  const [walletId, setWalletId] = useState<string | null>(null)
  const wallet = wallets.data?.find(({ id }) => id === walletId)
  if (wallet) return <SendDialog wallet={wallet} contact={contact} onClose={onClose} />
  return (
    <Dialog title="Choose a wallet" description={`To pay ${contact.name} from.`} onClose={onClose}>
      <Loaded query={wallets} loading={<SkeletonRows rows={2} className="h-14" />}>
        {(data) => (
          <div className="space-y-2">
            <NoWalletNotice wallets={data} />
            <ul className="space-y-2">
              {data.map((one) => (
                <li key={one.id}>
                  <WalletChoice wallet={one} first={one === data.find(canPay)} onChoose={() => setWalletId(one.id)} />
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function WalletChoice(props: { wallet: Wallet; first: boolean; onChoose: () => void }) {
  const { wallet } = props
  const { spendable } = wallet
  const blocked = blockedBecause(wallet)
  return (
    <button
      type="button"
      data-first={props.first || undefined}
      disabled={blocked !== null}
      onClick={props.onChoose}
      className="flex min-h-14 w-full items-center justify-between gap-4 rounded-control border border-control px-4 py-2 text-left not-disabled:hover:bg-sunken disabled:border-hairline disabled:text-muted"
    >
      <span className="min-w-0">
        <span className="block truncate font-medium">{walletName(wallet)}</span>
        <span className="block text-muted text-small">{networkWarning(wallet.chain)}</span>
      </span>
      {blocked === null ? (
        <span className="shrink-0 text-right">
          {spendable ? `$${cutAmount(spendable.now)}` : 'Unavailable'}
          <span className="block text-muted text-small">available to spend now</span>
          {spendable && spendable.arriving !== '0' && (
            <span className="block text-muted text-small">${cutAmount(spendable.arriving)} arriving</span>
          )}
        </span>
      ) : (
        <span className="shrink-0 text-small">{capitalized(blocked)}</span>
      )}
    </button>
  )
}
