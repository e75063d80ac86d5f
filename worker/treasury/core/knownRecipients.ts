import type { Address } from '../../chain/types.ts'
import type { Context, RecipientLookup } from './context.ts'
import { inMemory } from './memory.ts'
import type { WalletRow } from './storage/rows.ts'

/** Recipients known to be in the table known_recipient, as `${chainId}:${address in lower case}`. */
export const knownRecipients = inMemory(() => new Set<string>())
/** Recent look-ups of other recipients, under the same keys. `at` in ms. */
export const lookups = inMemory(() => new Map<string, { found: RecipientLookup; at: number }>())

export const recipientKey = (wallet: WalletRow, address: string) => `${wallet.chain_id}:${address.toLowerCase()}`

/** A known address can't become one of our payouts later, since that would take unknown keys. It may be blocked later. */
export function isKnownRecipient(ctx: Context, wallet: WalletRow, address: Address): boolean {
  const key = recipientKey(wallet, address)
  if (knownRecipients(ctx).has(key)) return true
  if (!ctx.store.first('SELECT 1 FROM known_recipient WHERE address = ?', key)) return false
  if (knownRecipients(ctx).size >= 1_000) knownRecipients(ctx).clear()
  knownRecipients(ctx).add(key)
  return true
}

/** Called for accepted payments only: refused ones must not fill the object's storage. */
export function rememberRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  ctx.store.insert('known_recipient', { address: recipientKey(wallet, address) }, 'ON CONFLICT DO NOTHING')
}

/** Called when the contract has refused a payment to this address: the next payment looks it up again. */
export function forgetRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  const key = recipientKey(wallet, address)
  knownRecipients(ctx).delete(key)
  lookups(ctx).delete(key)
  ctx.store.run('DELETE FROM known_recipient WHERE address = ?', key)
}
