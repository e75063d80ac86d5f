import { stepGas } from '#domain/gasAllowance.ts'
import { dayMs } from '#domain/time.ts'
import { classProblem, needsRefill, purchaseClasses } from '#domain/x402/purchaseClasses.ts'
import { ok } from '../../result.ts'
import { chainNow } from '../core/chainHeads.ts'
import { type Context, newId } from '../core/context.ts'
import { rotationRefusal } from '../core/stop.ts'
import { audit } from '../ledger/audit.ts'
import { classUse } from '../ledger/purchaseNumbers.ts'
import { withGas } from '../limits/gas.ts'
import { takeOwnerAction } from '../limits/ownerActions.ts'
import type { SessionRow, WalletRow } from '../storage/rows.ts'
import { operatorKey } from '../wallets/actions/calls.ts'
import { drainMs, isChanging } from '../wallets/actions/sessionChange.ts'
import { readSession } from '../wallets/session.ts'
import { newSessionKey } from '../wallets/sessionKeys.ts'

/**
 * Renewal of the purchase allowance: Bursar rotates to a session in which sends have what they had left, until the same
 * instant, and purchases the whole allowance again. So it adds exactly what purchases have used, within what the contract
 * lets the provider grant in a day.
 */

export const refillsPerDay = 12

const usesOf = ({ store }: Context, session: SessionRow) =>
  purchaseClasses.map((of) => classUse(store, session, of)).filter(({ count }) => count > 0)

/** Whether a purchase was handed out that a rotation would end. */
const isHandedOut = (ctx: Context, wallet: WalletRow): boolean =>
  ctx.store.first(
    "SELECT 1 FROM payment WHERE kind = 'x402' AND wallet_id = ? AND status = 'PROCESSING' AND max_deadline >= ? LIMIT 1",
    wallet.id,
    Math.floor(chainNow(ctx, wallet, ctx.now()) / 1000),
  ) !== null

const mayRefill = (ctx: Context, wallet: WalletRow): boolean =>
  wallet.kind === 'smart' &&
  wallet.status === 'active' &&
  wallet.halt_kind === null &&
  operatorKey(ctx) !== null &&
  !ctx.store.isSuspended &&
  rotationRefusal(ctx) === null &&
  ctx.store.count(
    "wallet_action WHERE wallet_id = ? AND kind = 'rotate' AND ttl_hours IS NULL AND created_at > ?",
    wallet.id,
    ctx.now() - dayMs,
  ) < refillsPerDay

/**
 * True while a class has nothing left for agents and the renewal waits for purchases that are open: another one would only
 * delay it. They end within minutes.
 */
export const waitsForRefill = (ctx: Context, wallet: WalletRow, session: SessionRow): boolean =>
  usesOf(ctx, session).some((use) => classProblem(use, 0) === 'class') &&
  isHandedOut(ctx, wallet) &&
  mayRefill(ctx, wallet)

/**
 * Starts a renewal once a class has less than a quarter left, nothing handed out could be lost by it, and the wallet allows it.
 * The settle alarm follows it like every rotation. Throws RpcUnavailable.
 */
export async function refill(ctx: Context, { id }: WalletRow): Promise<void> {
  const { store } = ctx
  const isDue = () => {
    const wallet = store.wallet(id)!
    const session = store.session(id)
    return (
      session !== null &&
      usesOf(ctx, session).some(needsRefill) &&
      !isHandedOut(ctx, wallet) &&
      !isChanging(ctx, id) &&
      mayRefill(ctx, wallet)
    )
  }
  if (!isDue()) return
  const wallet = store.wallet(id)!
  const state = (await readSession(ctx, wallet))?.latest
  if (!state || state.rotationDisabled || state.sessionRevoked || state.validUntil <= state.timestamp) return
  const key = await newSessionKey(ctx, id)
  await withGas(ctx, { chainId: wallet.chain_id, gas: stepGas.rotate, purpose: 'work' }, () =>
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
}
