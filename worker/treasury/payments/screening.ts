import type { ChainId } from '#domain/networks.ts'
import { sanctionsOracle } from '../../chain/networkSettings.ts'
import type { Address } from '../../chain/types.ts'
import { logError } from '../../observability/log.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context, RecipientLookup } from '../core/context.ts'

/**
 * What the chain says about an address before Bursar moves money to it: recipients and sellers, rows of runs, destinations of
 * claims, transfers that are sent on. Money that returns to its owner is not asked about, nor what owners sign themselves (record
 * 102).
 */

/** Asks the token and, where the operator names one, the sanctions oracle, in one round trip. */
export async function askAbout(ctx: Context, chainId: ChainId, address: Address): Promise<RecipientLookup> {
  const chain = ctx.chains[chainId]
  const oracle = sanctionsOracle(ctx.env, chainId)
  const [blocked, screened] = await Promise.allSettled([
    chain.isBlacklisted(address),
    oracle !== null && chain.isSanctioned(oracle, address),
  ])
  for (const reply of [blocked, screened])
    if (reply.status === 'rejected') logError('recipient_not_looked_up', { user: ctx.userId }, reply.reason)
  if (blocked.status === 'fulfilled' && blocked.value) return 'blocked'
  if (screened.status === 'rejected') return 'unscreened'
  if (screened.value) return 'screened'
  return blocked.status === 'rejected' ? 'unknown' : 'clear'
}

type Field = 'toAddress' | 'recipientAddress' | 'to'

/** The refusal that a lookup leads to, or null. `field` is the input that contained the address. */
export function lookupRefusal(found: 'known' | RecipientLookup, field: Field = 'toAddress'): Refused | null {
  switch (found) {
    case 'known':
    case 'clear':
    case 'unknown':
      return null
    case 'blocked':
      return refuse('recipient_blocked', 'The issuer of USDC has blocked this address, so it cannot receive USDC.', {
        field,
      })
    case 'screened':
      return refuse('recipient_screened', 'This service can’t pay this address.', { field })
    case 'unscreened':
      return screeningUnavailable
  }
}

const screeningUnavailable: Refused = refuse(
  'screening_unavailable',
  'Recipients can’t be checked right now. Nothing was sent; please try again in a minute.',
  { retryAfter: 60 },
)
