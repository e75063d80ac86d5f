import type { ChainId } from '#domain/networks.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { unspendableProblem } from '#domain/unspendable.ts'
import { allContracts } from '../../chain/contractSets.ts'
import type { Address } from '../../chain/types.ts'
import { within } from '../../durable/within.ts'
import { maySendSms, smsCountries } from '../../notifications/smsCountries.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context, RecipientLookup } from '../core/context.ts'
import { isKnownRecipient, lookups, needsNoLookup, recipientKey } from '../core/knownRecipients.ts'
import { inMemory } from '../core/memory.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { lookupLimitRefusal } from '../limits/admission.ts'
import { askAbout } from './screening.ts'

/** Look-ups in progress, under the same keys. */
const runningLookups = inMemory(() => new Map<string, Promise<RecipientLookup>>())

/** Recipients that must not be paid: those that this object recognizes, and those that have to be looked up. */

const cachedMs = 10 * 60_000 // 10 minutes

/** Refuses recipients where the money would be lost or would come straight back. Reads only this object. */
export function forbiddenRecipient(ctx: Context, wallet: WalletRow, to: Address): Refused | null {
  const wrong = (message: string): Refused => refuse('invalid_input', message, { field: 'toAddress' })
  if (sameAddress(to, wallet.address)) return wrong('A wallet cannot pay itself.')
  const chain = ctx.chains[wallet.chain_id]
  // Checked before known recipients: the address may have been paid before it became one of our contracts.
  if (allContracts(chain).some((contract) => sameAddress(to, contract)))
    return wrong('This contract cannot receive payments.')
  const unspendable = unspendableProblem(to)
  if (unspendable) return wrong(unspendable)
  if (isKnownRecipient(ctx, wallet, to)) return null
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
 * What is known about a recipient: it was paid before (and screened within a day), `lookedUp` just now, or looked up within the
 * last ten minutes. Null if it has to be looked up.
 */
export function recipientState(
  ctx: Context,
  wallet: WalletRow,
  address: Address,
  lookedUp: { address: Address; found: RecipientLookup | Refused } | null,
): 'known' | RecipientLookup | Refused | null {
  if (needsNoLookup(ctx, wallet, address)) return 'known'
  // The addresses differ if the contact was confirmed at a new address in the meantime.
  if (lookedUp?.address === address) return lookedUp.found
  const cached = lookups(ctx).get(recipientKey(wallet, address))
  return cached && ctx.now() - cached.at < cachedMs ? cached.found : null
}

/** Whether another call is already looking up this recipient; callers share that look-up. */
export const isBeingLookedUp = (ctx: Context, wallet: WalletRow, address: Address): boolean =>
  runningLookups(ctx).has(recipientKey(wallet, address))

/** Asks the chain about the address. Concurrent calls share it. */
export function lookUpRecipient(ctx: Context, wallet: WalletRow, address: Address): Promise<RecipientLookup> {
  const key = recipientKey(wallet, address)
  const running = runningLookups(ctx).get(key)
  if (running) return running
  const lookup = runLookup(ctx, wallet, address).finally(() => runningLookups(ctx).delete(key))
  runningLookups(ctx).set(key, lookup)
  return lookup
}

async function runLookup(ctx: Context, wallet: WalletRow, address: Address): Promise<RecipientLookup> {
  const found = await askAbout(ctx, wallet.chain_id, address)
  if (found === 'unknown' || found === 'unscreened') return found
  if (lookups(ctx).size >= 1_000) lookups(ctx).clear()
  lookups(ctx).set(recipientKey(wallet, address), { found, at: ctx.now() })
  return found
}

const unusedMs = 1_500 // a review and a dry run wait for it

/**
 * Whether nobody has used the address on this network: it has sent nothing, holds nothing and has no code. Null if that can't be
 * read in time, or if the caller has caused too many look-ups.
 */
export async function isUnused(
  ctx: Context,
  chainId: ChainId,
  address: Address,
  agentId: string | null,
): Promise<boolean | null> {
  if (lookupLimitRefusal(ctx, agentId)) return null
  const chain = ctx.chains[chainId]
  const read = () =>
    Promise.all([
      chain.accountNonce(address, 'latest'),
      chain.nativeBalance(address),
      chain.usdcBalance(address),
      chain.code(address),
    ])
  try {
    const [sent, ether, usdc, code] = await within(unusedMs, read)
    return sent === 0 && ether === 0n && usdc === 0n && code === '0x'
  } catch {
    return null
  }
}
