import { checksumAddress } from '#domain/validators.ts'
import { sellerPair } from '#domain/x402/seller.ts'
import { addressIn, look } from './paidRecipientTable.ts'
import type { Store } from './store.ts'

/**
 * Where money goes: exactly one is set, and for a purchase the host as well. A payout's address does not identify its
 * recipient.
 */
export type PaidTo = { address: string | null; email: string | null; phone: string | null; seller: string | null }

/** The recipient as text, as in `paid_recipient`. */
export const recipientText = ({ address, email, phone, seller }: PaidTo): string | null =>
  seller !== null && address !== null ? sellerPair(seller, address) : (address?.toLowerCase() ?? email ?? phone)

/** The recipient's payments on a chain, or on all of them if `chainId` is null. */
export const paymentsTo = (store: Store, to: PaidTo, chainId: number | null) =>
  store.first<{ payments: number; last_at: number | null }>(
    `SELECT coalesce(sum(payments), 0) AS payments, max(last_at) AS last_at FROM paid_recipient
     WHERE recipient = ?1 AND (?2 IS NULL OR chain_id = ?2)`,
    recipientText(to),
    chainId,
  )!

/** Another paid address that looks like this one when both are shortened, with its checksum; null if there is none. */
export function lookAlikeOf(store: Store, address: string): string | null {
  const other = (than: '<' | '>') =>
    `(SELECT ${addressIn} FROM paid_recipient WHERE look = ${look('?1')} AND ${addressIn} ${than} lower(?1) LIMIT 1)`
  const { found } = store.first<{ found: string | null }>(
    `SELECT coalesce(${other('<')}, ${other('>')}) AS found`,
    address,
  )!
  return found && checksumAddress(found)
}
