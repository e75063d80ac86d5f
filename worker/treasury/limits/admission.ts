import { paymentGas } from '#domain/gasAllowance.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { paymentsOf, type Spender } from '../core/spender.ts'
import { isRelayed } from '../core/storage/kindSql.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { isEstablished } from './accountAge.ts'
import { gasShortage, grantRefusal, reserveGas } from './gas.ts'
import { limitRefusal } from './limitRefusal.ts'
import { countMessage, type MessageTo, messageRefusal, newAccountRefusal } from './messageLimits.ts'
import { paymentRates, takeRate, takeRates } from './rates.ts'

/**
 * A payment that policy and funds allow. `message` is null if no message is sent. The gas of a
 * purchase is paid by the seller.
 */
type Work = { wallet: WalletRow; spender: Spender; message: MessageTo | null; isPurchase?: boolean }

/** What a new account still has to be granted elsewhere, once everything else is decided. */
export type LimitNeed = { need: 'gasGrant'; wallet: WalletRow; gas: number } | { need: 'messageGrant'; to: MessageTo }

/** Whether each was granted, or in a dry run would be. Missing if it was not requested. */
export type Grants = { gas?: boolean; message?: boolean; isDryRun?: true }

export type Admission = { ok: true; shortOfGas: number | null; commit: () => void }

/**
 * Decides whether the service limits allow one more payment. Nothing is counted before `commit`, which belongs in the
 * transaction that accepts the payment.
 */
export function admit(ctx: Context, { wallet, spender, message, isPurchase = false }: Work): Refused | Admission {
  const rates = takeRates(ctx, paymentRates(spender))
  if (!rates.ok) return rates
  const refused =
    (isPurchase ? null : queueRefusal(ctx, wallet, spender)) ?? (message && messageRefusal(ctx, spender, message))
  if (refused) return refused
  const work = { chainId: wallet.chain_id, spender, gas: paymentGas(message !== null) }
  const shortage = isPurchase ? null : gasShortage(ctx, work)
  if (shortage && 'code' in shortage) return shortage
  return {
    ok: true,
    shortOfGas: shortage?.grant ?? null,
    commit: () => {
      rates.save()
      if (!isPurchase) reserveGas(ctx, work)
      if (message) countMessage(ctx, { spender }, message)
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
  // Gas that was granted is no longer short, unless another call has taken it. A dry run is not given any.
  if (shortOfGas !== null && !(grants.isDryRun && grants.gas))
    return grants.gas === false ? grantRefusal(ctx) : { need: 'gasGrant', wallet, gas: shortOfGas }
  if (message === null || isEstablished(ctx) || grants.message === true) return null
  return grants.message === false ? newAccountRefusal(ctx) : { need: 'messageGrant', to: message }
}

/** Null if a look-up may be made, which is then counted. Called before the look-up begins, never while deciding. */
export const lookupLimitRefusal = (ctx: Context, spender: Spender): Refused | null =>
  takeRate(ctx, 'lookups', spender ?? 'owner')

const retryMs = 10_000 // 10 seconds: a few blocks, by which time earlier payments have been signed

/** Limits how many payments of one agent may wait for a signature. More are refused before anything is held. */
function queueRefusal(ctx: Context, wallet: WalletRow, spender: Spender): Refused | null {
  if (spender === null) return null
  if (queuedOf(ctx, wallet.id, spender) < ctx.limits.agentQueued) return null
  return limitRefusal(ctx, 'queue', ctx.now() + retryMs)
}

/** Number of the spender's queued payments, counted up to the limit of one agent. */
export const queuedOf = (ctx: Context, walletId: string, spender: Spender): number =>
  ctx.store.cached('payment', `queued ${walletId} ${spender}`, () => {
    const [isTheirs, ...values] = paymentsOf(spender)
    return ctx.store.count(
      `(SELECT 1 FROM payment WHERE status = 'QUEUED' AND ${isRelayed('kind')} AND wallet_id = ? AND ${isTheirs} LIMIT ?)`,
      walletId,
      ...values,
      Math.max(1, Math.ceil(ctx.limits.agentQueued)),
    )
  })
