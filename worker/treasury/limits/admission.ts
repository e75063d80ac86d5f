import { paymentGas } from '#domain/gasAllowance.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'
import { isEstablished } from './established.ts'
import { gasShortage, grantRefusal, reserveGas } from './gas.ts'
import { countMessage, type MessageTo, messageRefusal, newAccountRefusal } from './messageLimits.ts'
import { queueRefusal } from './queueShares.ts'
import { lookupRate, paymentRates, takeRates } from './rates.ts'

/** A payment that policy and funds allow. `agentId` is null if the owner pays, `message` if no message is sent. */
export type Work = { wallet: WalletRow; agentId: string | null; message: MessageTo | null }

/** What a new account still has to be granted elsewhere, once everything else is decided. */
export type LimitNeed = { need: 'gasGrant'; wallet: WalletRow; gas: number } | { need: 'messageGrant'; to: MessageTo }

/** Whether each was granted. Missing if it was not requested. */
export type Grants = { gas?: boolean; message?: boolean }

export type Admission = { ok: true; shortOfGas: number | null; commit: () => void }

/**
 * Decides whether the service limits allow one more payment. Nothing is counted before `commit`, which belongs in the
 * transaction that accepts the payment.
 */
export function admit(ctx: Context, { wallet, agentId, message }: Work): Refused | Admission {
  const rates = takeRates(ctx, paymentRates(ctx.limits, agentId))
  if (!rates.ok) return rates
  const gas = paymentGas(message !== null)
  const refused = queueRefusal(ctx, wallet, agentId) ?? (message && messageRefusal(ctx, agentId, message))
  if (refused) return refused
  const shortage = gasShortage(ctx, agentId, gas)
  if (shortage && 'code' in shortage) return shortage
  return {
    ok: true,
    shortOfGas: shortage?.grant ?? null,
    commit: () => {
      rates.save()
      reserveGas(ctx, agentId, gas)
      if (message) countMessage(ctx, { agentId }, message)
    },
  }
}

/** What a new account needs in addition. Checked last, because it uses up what all new accounts share. */
export function sharedNeed(
  ctx: Context,
  { wallet, message }: Work,
  { shortOfGas }: Admission,
  grants: Grants,
): Refused | LimitNeed | null {
  if (shortOfGas !== null)
    return grants.gas === false ? grantRefusal(ctx) : { need: 'gasGrant', wallet, gas: shortOfGas }
  if (message === null || isEstablished(ctx) || grants.message === true) return null
  return grants.message === false ? newAccountRefusal(ctx) : { need: 'messageGrant', to: message }
}

/** Takes one of the look-ups that calls may cause. Returns a refusal if none is left. */
export function takeLookup(ctx: Context, agentId: string | null): Refused | null {
  const taken = takeRates(ctx, [lookupRate(ctx.limits, agentId)])
  if (!taken.ok) return taken
  taken.save()
  return null
}
