import { isTestChain } from '#domain/networks.ts'
import type { Notice } from '#schemas/notice.ts'
import { formatMoney, oneLine } from '../../../notifications/format.ts'
import type { Context } from '../../core/context.ts'
import { formatColumn } from '../../core/storage/columns.ts'
import type { PaymentRow, WalletRow } from '../../core/storage/rows.ts'

/** What notices and the history of changes call things: their current names, in one line. */

/** Text that stands where a name is missing, and the address or id behind it. */
export const namelessAddress = (address: string): Notice['nameless'] => ({ value: address, shown: short(address) })

/** The address or the contact's id behind what `recipientOf` says; null if that is a name. */
export function namelessOf(payment: PaymentRow): Notice['nameless'] {
  const { to_address, contact_id } = payment
  if (nameOf(payment) !== null) return null
  if (to_address !== null) return namelessAddress(to_address)
  return contact_id === null ? null : { value: contact_id, shown: aContact }
}

export const agentOf = ({ store }: Context, id: string | null) => oneLine(store.agentName(id), 60) ?? 'An agent'
export const short = (address: string) => (address === '' ? '' : `${address.slice(0, 6)}…${address.slice(-4)}`)
/** What names the recipient, other than an address. Of a purchase, its host. */
const nameOf = (payment: Pick<PaymentRow, 'seller' | 'contact_name' | 'recipient_email' | 'recipient_phone'>) =>
  payment.seller ?? payment.contact_name ?? payment.recipient_email ?? payment.recipient_phone
/** Of a payment that was refused because its group does not list the contact, only the id is known. */
const aContact = 'a contact'
export const recipientOf = (payment: PaymentRow) =>
  oneLine(nameOf(payment) ?? short(payment.to_address ?? ''), 60) ??
  (payment.contact_id === null ? 'a recipient' : aContact)
export const moneyOf = ({ store }: Context, { amount, wallet_id }: PaymentRow) =>
  formatMoney({ amount: formatColumn(amount), isTest: isTestChain(store.wallet(wallet_id)!.chain_id) })
export const moneyTo = (ctx: Context, payment: PaymentRow) => `${moneyOf(ctx, payment)} to ${recipientOf(payment)}`

export const walletNameOf = (wallet: WalletRow) => oneLine(wallet.name, 60) ?? `wallet ${short(wallet.address)}`
export const groupOf = ({ store }: Context, id: string) =>
  oneLine(store.anyGroup(id)?.name ?? null, 60) ?? 'a policy group'
