import { sameAddress } from '#domain/sameAddress.ts'
import { allContracts } from '../../chain/contractSets.ts'
import type { Address } from '../../chain/types.ts'
import { maySendSms, smsCountries } from '../../notifications/smsCountries.ts'
import { logError } from '../../observability/log.ts'
import { type Refused, refuse } from '../../result.ts'
import { blockedRecipient } from '../core/commonRefusals.ts'
import type { Context, RecipientLookup } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'

/** Recipients that must not be paid: those that this object recognizes, and those that have to be looked up. */

const cachedMs = 10 * 60_000 // 10 minutes

const keyOf = (wallet: WalletRow, address: string) => `${wallet.chain_id}:${address.toLowerCase()}`

/** Refuses recipients where the money would be lost or would come straight back. Reads only this object. */
export function forbiddenRecipient(ctx: Context, wallet: WalletRow, to: Address): Refused | null {
  const wrong = (message: string): Refused => refuse('invalid_input', message, { field: 'toAddress' })
  if (sameAddress(to, wallet.address)) return wrong('A wallet cannot pay itself.')
  const chain = ctx.chains[wallet.chain_id]
  // Checked before known recipients: the address may have been paid before it became one of our contracts.
  if (allContracts(chain).some((contract) => sameAddress(to, contract)))
    return wrong('This contract cannot receive payments.')
  if (isKnownRecipient(ctx, wallet, to)) return null
  if (/^0x0{40}$/.test(to)) return wrong('The zero address cannot receive payments.')
  if (sameAddress(to, chain.usdc)) return wrong('The USDC contract cannot receive payments.')
  // Another user's payout may be paid: what its address holds goes to its recipient, or to its sender.
  return ctx.store.first('SELECT 1 FROM payout WHERE address = ? COLLATE NOCASE', to)
    ? wrong('This is the address of a payout. Create a new payout instead.')
    : null
}

/** Refuses phone numbers that this service does not send text messages to. */
export function smsRefusal({ env }: Context, phone: string): Refused | null {
  const countries = smsCountries(env.SMS_COUNTRIES)
  if (maySendSms(countries, phone)) return null
  const message =
    countries === 'none'
      ? 'This service does not send text messages. Please use an email address or a wallet address.'
      : 'This service does not send text messages to this number. Please use an email address or a wallet address.'
  return refuse('unprocessable', message, { field: 'recipientPhone' })
}

/**
 * What is known about a recipient: it was paid before, `lookedUp` just now, or looked up within the last ten minutes. Null
 * if it has to be looked up.
 */
export function recipientState(
  ctx: Context,
  wallet: WalletRow,
  address: Address,
  lookedUp: { address: Address; found: RecipientLookup } | null,
): 'known' | RecipientLookup | null {
  if (isKnownRecipient(ctx, wallet, address)) return 'known'
  // The addresses differ if the contact was confirmed at a new address in the meantime.
  if (lookedUp?.address === address) return lookedUp.found
  const cached = ctx.lookups.get(keyOf(wallet, address))
  return cached && ctx.now() - cached.at < cachedMs ? cached.found : null
}

/** A known address can't become one of our payouts later, since that would take unknown keys. It may be blocked later. */
function isKnownRecipient(ctx: Context, wallet: WalletRow, address: Address): boolean {
  const key = keyOf(wallet, address)
  if (ctx.recipients.has(key)) return true
  if (!ctx.store.first('SELECT 1 FROM known_recipient WHERE address = ?', key)) return false
  if (ctx.recipients.size >= 1_000) ctx.recipients.clear()
  ctx.recipients.add(key)
  return true
}

/** Called for accepted payments only: refused ones must not fill the object's storage. */
export function rememberRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  ctx.store.run('INSERT OR IGNORE INTO known_recipient (address) VALUES (?)', keyOf(wallet, address))
}

/** Called when the contract has refused a payment to this address: the next payment looks it up again. */
export function forgetRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  const key = keyOf(wallet, address)
  ctx.recipients.delete(key)
  ctx.lookups.delete(key)
  ctx.store.run('DELETE FROM known_recipient WHERE address = ?', key)
}

/** Whether another call is already looking up this recipient; callers share that look-up. */
export const isBeingLookedUp = (ctx: Context, wallet: WalletRow, address: Address): boolean =>
  ctx.lookupsRunning.has(keyOf(wallet, address))

/** Asks the chain whether the token refuses the address. Concurrent calls share it. */
export function lookUpRecipient(ctx: Context, wallet: WalletRow, address: Address): Promise<RecipientLookup> {
  const key = keyOf(wallet, address)
  const running = ctx.lookupsRunning.get(key)
  if (running) return running
  const lookup = runLookup(ctx, wallet, address).finally(() => ctx.lookupsRunning.delete(key))
  ctx.lookupsRunning.set(key, lookup)
  return lookup
}

async function runLookup(ctx: Context, wallet: WalletRow, address: Address): Promise<RecipientLookup> {
  let found: RecipientLookup
  try {
    found = (await ctx.chains[wallet.chain_id].isBlacklisted(address)) ? 'blocked' : 'clear'
  } catch (error) {
    logError('recipient_not_looked_up', { user: ctx.userId }, error)
    return 'unknown'
  }
  if (ctx.lookups.size >= 1_000) ctx.lookups.clear()
  ctx.lookups.set(keyOf(wallet, address), { found, at: ctx.now() })
  return found
}

/** The refusal that a lookup leads to, or null. */
export const lookupRefusal = (found: 'known' | RecipientLookup): Refused | null =>
  found === 'blocked' ? blockedRecipient('toAddress') : null
