import { maxInFlight } from '#domain/intent.ts'
import { maxHours, maxLimit, minLimit } from '#domain/sessionKey.ts'
import type { Block } from '../../chain/types.ts'
import { logWarning } from '../../observability/log.ts'
import type { Context } from '../context.ts'
import type { SessionRow, WalletRow } from '../storage/rows.ts'
import { rotate } from '../wallets/actions/rotate.ts'
import { isChanging } from '../wallets/actions/sessionChange.ts'

/** A refused nonce this far behind the next one is about to close the contract's window of 128. */
const stuckAfter = maxInFlight
const retryMs = 10 * 60_000 // 10 minutes, after a rotation that could not be started

/**
 * A nonce that the contract refuses stays open until its deadline is final, and the wallet can issue only 127 beyond it.
 * Once half of them are used the session is replaced by one with the same limit and time, whose nonces start afresh.
 */
export async function replaceStuckSession(ctx: Context, wallet: WalletRow, head: Block): Promise<void> {
  const session = ctx.store.session(wallet.id)
  // Authorizations of imported wallets have no order.
  if (wallet.kind !== 'smart' || !session || !isStuck(ctx, session) || isChanging(ctx, wallet.id)) return
  if (ctx.now() < (ctx.rotationRetryAt.get(wallet.id) ?? 0)) return
  ctx.rotationRetryAt.set(wallet.id, ctx.now() + retryMs)
  const limit = session.spend_limit - session.used - heldInFlight(ctx, session)
  const hours = Math.floor((session.valid_until - head.timestamp) / 3600)
  if (limit < minLimit || hours < 1) return
  const asked = { limit: limit > maxLimit ? maxLimit : BigInt(limit), hours: Math.min(hours, maxHours) }
  const started = await rotate(ctx, { key: null, walletId: wallet.id, ...asked })
  // The next session may get stuck as soon.
  if (started.ok) ctx.rotationRetryAt.delete(wallet.id)
  else
    logWarning('stuck_session_not_replaced', { user: ctx.userId, wallet: wallet.id, reason: started.message })
}

function isStuck(ctx: Context, { wallet_id, epoch, next_sequence }: SessionRow): boolean {
  const { lowest } = ctx.store.first<{ lowest: number | null }>(
    "SELECT min(sequence) AS lowest FROM payment WHERE wallet_id = ? AND epoch = ? AND status = 'PROCESSING' AND revert IS NOT NULL",
    wallet_id,
    epoch,
  )!
  return lowest !== null && next_sequence - lowest >= stuckAfter
}

/** Held by signed payments that may still be executed under the old session. */
const heldInFlight = (ctx: Context, { wallet_id, epoch }: SessionRow) =>
  ctx.store.first<{ held: number }>(
    "SELECT coalesce(sum(amount), 0) AS held FROM payment WHERE wallet_id = ? AND epoch = ? AND status = 'PROCESSING' AND revert IS NULL",
    wallet_id,
    epoch,
  )!.held
