import { allContracts } from '../../chain/contractSets.ts'
import type { Address } from '../../chain/types.ts'
import { isPayoutAddress } from '../../db/claimLinks.ts'
import { maySendSms, smsCountries } from '../../notifications/smsCountries.ts'
import { logError } from '../../observability/log.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context, RecipientLookup } from '../context.ts'
import type { WalletRow } from '../storage/rows.ts'

/** Recipients that no payment may go to: what is decided from memory, and what has to be looked up. */

const cachedMs = 10 * 60_000 // 10 minutes

/** Meta key under which the address of some user's payout is remembered. */
const payoutAddressKey = (address: string) => `payout_address:${address.toLowerCase()}`

const keyOf = (wallet: WalletRow, address: string) => `${wallet.chain_id}:${address.toLowerCase()}`

const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** Refuses recipients whose money would be lost or come back at once. Reads this object only. */
export function forbiddenRecipient(ctx: Context, wallet: WalletRow, to: Address): Refused | null {
  const wrong = (message: string): Refused => refuse('invalid_input', message, { field: 'toAddress' })
  if (sameAddress(to, wallet.address)) return wrong('A wallet cannot pay itself.')
  const chain = ctx.chains[wallet.chain_id]
  // Before what is known: it may have been paid before it became a contract of ours.
  if (allContracts(chain).some((contract) => sameAddress(to, contract)))
    return wrong('This contract cannot receive payments.')
  if (isKnownRecipient(ctx, wallet, to)) return null
  if (/^0x0{40}$/.test(to)) return wrong('The zero address cannot receive payments.')
  if (sameAddress(to, chain.usdc)) return wrong('The USDC contract cannot receive payments.')
  const payout =
    ctx.store.first('SELECT 1 FROM payout WHERE address = ? COLLATE NOCASE', to) ?? ctx.store.meta(payoutAddressKey(to))
  return payout ? payoutRefused : null
}

/** Refuses phone numbers that this service sends no text messages to. */
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
 * What is known about a recipient: it was paid before, `lookedUp` just now, or looked up within ten minutes. Null: it has
 * to be looked up.
 */
export function recipientState(
  ctx: Context,
  wallet: WalletRow,
  address: Address,
  lookedUp: { address: Address; found: RecipientLookup } | null,
): 'known' | RecipientLookup | null {
  if (isKnownRecipient(ctx, wallet, address)) return 'known'
  // Another address than the one looked up: the contact was confirmed at a new one meanwhile.
  if (lookedUp?.address === address) return lookedUp.found
  const cached = ctx.lookups.get(keyOf(wallet, address))
  return cached && ctx.now() - cached.at < cachedMs ? cached.found : null
}

/** An address cannot become a payout's later, since that takes unknown keys; it may be blocked later. */
function isKnownRecipient(ctx: Context, wallet: WalletRow, address: Address): boolean {
  const key = keyOf(wallet, address)
  if (ctx.recipients.has(key)) return true
  if (!ctx.store.first('SELECT 1 FROM known_recipient WHERE address = ?', key)) return false
  if (ctx.recipients.size >= 1_000) ctx.recipients.clear()
  ctx.recipients.add(key)
  return true
}

/** Only for accepted payments: refused ones must not fill the object. */
export function rememberRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  ctx.store.run('INSERT OR IGNORE INTO known_recipient (address) VALUES (?)', keyOf(wallet, address))
}

/** The contract has refused a payment to this address: it is looked up again before the next one. */
export function forgetRecipient(ctx: Context, wallet: WalletRow, address: Address): void {
  const key = keyOf(wallet, address)
  ctx.recipients.delete(key)
  ctx.lookups.delete(key)
  ctx.store.run('DELETE FROM known_recipient WHERE address = ?', key)
}

/** Does another call look this recipient up already? Then this one starts none. */
export const isLookedUp = (ctx: Context, wallet: WalletRow, address: Address): boolean =>
  ctx.lookupsRunning.has(keyOf(wallet, address))

/** Asks D1 whether the address is a payout's, and the chain whether the token refuses it. Calls made together share it. */
export function lookUpRecipient(ctx: Context, wallet: WalletRow, address: Address): Promise<RecipientLookup> {
  const key = keyOf(wallet, address)
  const running = ctx.lookupsRunning.get(key)
  if (running) return running
  const asked = askAbout(ctx, wallet, address).finally(() => ctx.lookupsRunning.delete(key))
  ctx.lookupsRunning.set(key, asked)
  return asked
}

async function askAbout(ctx: Context, wallet: WalletRow, address: Address): Promise<RecipientLookup> {
  const [payout, blocked] = await Promise.allSettled([
    isPayoutAddress(ctx.db, address),
    ctx.chains[wallet.chain_id].isBlacklisted(address),
  ])
  for (const asked of [payout, blocked])
    if (asked.status === 'rejected') logError('recipient_not_looked_up', { user: ctx.userId }, asked.reason)
  if (payout.status === 'fulfilled' && payout.value) {
    ctx.store.setMeta(payoutAddressKey(address), '1')
    return 'payout'
  }
  if (blocked.status === 'rejected' || (payout.status === 'rejected' && !blocked.value)) return 'unknown'
  const found = blocked.value ? 'blocked' : 'clear'
  if (ctx.lookups.size >= 1_000) ctx.lookups.clear()
  ctx.lookups.set(keyOf(wallet, address), { found, at: ctx.now() })
  return found
}

const payoutRefused: Refused = refuse(
  'invalid_input',
  'This is the address of a payout. Create a new payout instead.',
  { field: 'toAddress' },
)

/** `field`: the input that named the address. */
export const blockedRecipient = (field: 'toAddress' | 'recipientAddress'): Refused =>
  refuse('recipient_blocked', 'The issuer of USDC has blocked this address, so it cannot receive USDC.', { field })

/** The refusal that a lookup leads to, or null. */
export function lookupRefusal(found: 'known' | RecipientLookup): Refused | null {
  if (found === 'payout') return payoutRefused
  return found === 'blocked' ? blockedRecipient('toAddress') : null
}
