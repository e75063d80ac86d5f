import { dayMs } from '#domain/time.ts'
import { sanctionsOracle } from '../../chain/networkSettings.ts'
import type { Address } from '../../chain/types.ts'
import type { Context, RecipientLookup } from './context.ts'
import { inMemory } from './memory.ts'
import type { WalletRow } from './storage/rows.ts'

/**
 * When recipients were last screened (ms; 0 if never) according to the table known_recipient, by
 * `${chainId}:${address in lower case}`; null for those that are not in it.
 */
export const knownRecipients = inMemory(() => new Map<string, number | null>())
/** Recent look-ups of other recipients, under the same keys. `at` in ms. */
export const lookups = inMemory(() => new Map<string, { found: RecipientLookup; at: number }>())

export const recipientKey = (wallet: WalletRow, address: string) => `${wallet.chain_id}:${address.toLowerCase()}`

/** A known address can't become one of our payouts later, since that would take unknown keys. It may be blocked later. */
export const isKnownRecipient = (ctx: Context, wallet: WalletRow, address: Address): boolean =>
  screenedAt(ctx, wallet, address) !== null

/** Whether a recipient may be paid without a look-up: it was paid before and, where recipients are screened, today's answer is known. */
export function needsNoLookup(ctx: Context, wallet: WalletRow, address: Address): boolean {
  const at = screenedAt(ctx, wallet, address)
  if (at === null) return false
  return sanctionsOracle(ctx.env, wallet.chain_id) === null || ctx.now() - at < dayMs
}

/** When a known recipient was last screened (ms; 0 if never); null for others. */
function screenedAt(ctx: Context, wallet: WalletRow, address: Address): number | null {
  const key = recipientKey(wallet, address)
  const known = knownRecipients(ctx).get(key)
  if (known !== undefined) return known
  const row = ctx.store.first<{ at: number | null }>(
    'SELECT screened_at AS at FROM known_recipient WHERE address = ?',
    key,
  )
  const at = row && (row.at ?? 0)
  if (knownRecipients(ctx).size >= 1_000) knownRecipients(ctx).clear()
  knownRecipients(ctx).set(key, at)
  return at
}

/** Called for accepted payments only: refused ones must not fill the object's storage. */
export function rememberRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  const key = recipientKey(wallet, address)
  const screened_at = sanctionsOracle(ctx.env, wallet.chain_id) === null ? null : ctx.now()
  ctx.store.insert(
    'known_recipient',
    { address: key, screened_at },
    'ON CONFLICT DO UPDATE SET screened_at = excluded.screened_at',
  )
  // Read again from the table, because this transaction may be rolled back.
  knownRecipients(ctx).delete(key)
}

/** Called when the contract has refused a payment to this address: the next payment looks it up again. */
export function forgetRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  const key = recipientKey(wallet, address)
  knownRecipients(ctx).delete(key)
  lookups(ctx).delete(key)
  ctx.store.run('DELETE FROM known_recipient WHERE address = ?', key)
}
