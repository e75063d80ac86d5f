import { stepGas } from '#domain/gasAllowance.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import { classProblem, needsRefill } from '#domain/x402/purchaseClasses.ts'
import { ok } from '../../../result.ts'
import { chainNow } from '../../core/chainHeads.ts'
import { type Context, newId } from '../../core/context.ts'
import { inMemory } from '../../core/memory.ts'
import { rotationRefusal } from '../../core/stop.ts'
import { isSellerSubmitted } from '../../core/storage/kindSql.ts'
import type { SessionRow, WalletRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { classUses } from '../../ledger/purchaseNumbers.ts'
import { withGas } from '../../limits/gas.ts'
import { takeOwnerAction } from '../../limits/ownerActions.ts'
import { enqueue } from '../../outbox/enqueue.ts'
import {
  callRefusal,
  noOperator,
  operatorKey,
  rotationDisabled,
  rotationOf,
  signedRotation,
} from '../../wallets/actions/calls.ts'
import { drainMs, isChanging } from '../../wallets/actions/sessionChange.ts'
import { readSession } from '../../wallets/session.ts'
import { newSessionKey } from '../../wallets/sessionKeys.ts'

/** When a wallet last refused to renew its purchase allowance (ms), by its id. */
const refillRefusedAt = inMemory(() => new Map<string, number>())

/**
 * Renewal of the purchase allowance: Bursar rotates to a session in which sends have what they had left, until the same
 * instant, and purchases the whole allowance again. So it adds exactly what purchases have used, within what the contract
 * lets the provider grant in a day.
 */

const refillsPerDay = 12

const usesOf = ({ store }: Context, session: SessionRow) =>
  Object.values(classUses(store, session)).filter(({ count }) => count > 0)

/** Whether a purchase was handed out that a rotation would end. */
const isHandedOut = (ctx: Context, wallet: WalletRow): boolean =>
  ctx.store.first(
    `SELECT 1 FROM payment WHERE ${isSellerSubmitted('kind')} AND wallet_id = ? AND status = 'PROCESSING' AND max_deadline >= ? LIMIT 1`,
    wallet.id,
    Math.floor(chainNow(ctx, wallet, ctx.now()) / 1000),
  ) !== null

/** A wallet that has refused a renewal, such as beyond what the provider may grant in a day, is asked again after this. */
const retryMs = hourMs

/** The renewals of the last day, the oldest of the counted ones first. */
const startedToday = (ctx: Context, walletId: string) =>
  ctx.store.all<{ created_at: number }>(
    `SELECT created_at FROM wallet_action WHERE wallet_id = ? AND created_at > ? AND kind = 'rotate' AND ttl_hours IS NULL
     ORDER BY created_at DESC LIMIT ?`,
    walletId,
    ctx.now() - dayMs,
    refillsPerDay,
  )

/** Whether purchases can be made at all: the owner knows otherwise why there is no renewal. */
const canBuy = (ctx: Context, wallet: WalletRow): boolean =>
  wallet.kind === 'smart' &&
  wallet.status === 'active' &&
  wallet.paused === 0 &&
  wallet.halt_kind === null &&
  !ctx.store.isSuspended &&
  rotationRefusal(ctx) === null

/** Why no renewal is tried, for the owner; null if one may be. */
function obstacle(ctx: Context, wallet: WalletRow): string | null {
  if (operatorKey(ctx) === null) return noOperator.message
  return startedToday(ctx, wallet.id).length >= refillsPerDay
    ? `Bursar renews it at most ${refillsPerDay} times in 24 hours. Rotate the session key if agents need more before that.`
    : null
}

const mayRefill = (ctx: Context, wallet: WalletRow): boolean =>
  canBuy(ctx, wallet) &&
  ctx.now() - (refillRefusedAt(ctx).get(wallet.id) ?? Number.NEGATIVE_INFINITY) >= retryMs &&
  obstacle(ctx, wallet) === null

const isUsed = (ctx: Context, session: SessionRow | null): boolean =>
  session !== null && session.purchase_allowance > 0 && usesOf(ctx, session).some(needsRefill)

/** Whether a renewal is due and possible, so that the wallet must be settled although nothing else of it is open. */
export const isRefillDue = (ctx: Context, wallet: WalletRow): boolean =>
  isUsed(ctx, ctx.store.session(wallet.id)) && mayRefill(ctx, wallet)

/**
 * True while a class has nothing left for agents and the renewal waits for purchases that are open: another one would only
 * delay it. They end within minutes.
 */
export const waitsForRefill = (ctx: Context, wallet: WalletRow, session: SessionRow): boolean =>
  usesOf(ctx, session).some((use) => classProblem(use, 0) === 'class') &&
  isHandedOut(ctx, wallet) &&
  mayRefill(ctx, wallet)

/** Tells the owner why the allowance of this session is not renewed, once. */
function reportRefusedRefill(ctx: Context, walletId: string, epoch: number, why: string): void {
  const { store, now } = ctx
  store.transaction(() => {
    const isNew = store.run(
      'UPDATE session SET refill_refused = ? WHERE wallet_id = ? AND epoch = ? AND current = 1 AND refill_refused IS NULL',
      why,
      walletId,
      epoch,
    )
    if (isNew === 0) return
    audit(store, now(), 'wallet.refill_refused', walletId, { why })
    enqueue(ctx, 'mail.refill_refused', walletId)
  })
}

/**
 * Starts a renewal once a class has less than a quarter left, nothing handed out could be lost by it, and the wallet allows it.
 * The settle alarm follows it like every rotation. Throws RpcUnavailable.
 */
export async function refill(ctx: Context, { id }: WalletRow): Promise<void> {
  const { store } = ctx
  const isDue = () => {
    const wallet = store.wallet(id)!
    const session = store.session(id)
    return isUsed(ctx, session) && !isHandedOut(ctx, wallet) && !isChanging(ctx, id) && mayRefill(ctx, wallet)
  }
  const wallet = store.wallet(id)!
  if (!isDue()) {
    const session = store.session(id)
    const why = obstacle(ctx, wallet)
    const isLive = session !== null && session.valid_until * 1000 > chainNow(ctx, wallet, ctx.now())
    if (why !== null && isLive && isUsed(ctx, session) && !isChanging(ctx, id) && canBuy(ctx, wallet))
      reportRefusedRefill(ctx, id, session.epoch, why)
    const started = startedToday(ctx, id)
    // Nothing else may wake the wallet when another one is possible.
    if (started.length === refillsPerDay) ctx.schedule('settle', started.at(-1)!.created_at + dayMs)
    return
  }
  const state = (await readSession(ctx, wallet))?.latest
  // Otherwise the wallet would count as busy, and be read again every few seconds, for a renewal that cannot start.
  refillRefusedAt(ctx).set(id, ctx.now())
  if (!state || state.sessionRevoked || state.validUntil <= state.timestamp) return
  if (state.rotationDisabled) return reportRefusedRefill(ctx, id, state.epoch, rotationDisabled.message)
  const key = await newSessionKey(ctx, id)
  const stored = { key_address: key.address, ttl_hours: null, purchase_allowance: state.purchaseAllowance }
  const rotation = rotationOf(stored, state)
  const refused = await callRefusal(ctx, wallet, signedRotation(wallet, rotation, operatorKey(ctx)!))
  if (refused) {
    ctx.schedule('settle', ctx.now() + retryMs)
    // The session was replaced meanwhile; the next one tells for itself.
    if (refused.code !== 'conflict') reportRefusedRefill(ctx, id, state.epoch, refused.message)
    return
  }
  refillRefusedAt(ctx).delete(id)
  const started = await withGas(ctx, { chainId: wallet.chain_id, gas: stepGas.rotate, purpose: 'work' }, () =>
    store.attempt(() => {
      const session = store.session(id)
      if (!isDue() || session?.epoch !== state.epoch) return ok(null)
      const limited = takeOwnerAction(ctx, 'rotate', wallet.chain_id)
      if (limited) return limited
      const action = newId(ctx, 'act')
      const now = ctx.now()
      store.insert('wallet_action', {
        id: action,
        wallet_id: id,
        kind: 'rotate',
        status: 'draining',
        key_address: key.address,
        sealed_key: key.sealed,
        purchase_allowance: session.purchase_allowance,
        epoch: state.epoch,
        drain_until: now + drainMs,
        created_at: now,
      })
      audit(store, now, 'action.draining', action, {
        ...{ kind: 'rotate', wallet: id, sessionKey: key.address },
        refill: session.purchase_allowance,
      })
      ctx.schedule('settle', now)
      return ok(null)
    }),
  )
  if (started.ok) return
  refillRefusedAt(ctx).set(id, ctx.now())
  ctx.schedule('settle', ctx.now() + retryMs)
  reportRefusedRefill(ctx, id, state.epoch, started.message)
}
