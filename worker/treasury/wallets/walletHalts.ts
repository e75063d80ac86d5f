import { minuteMs } from '#domain/time.ts'
import type { HaltKind } from '#domain/walletHalt.ts'
import { logError } from '../../observability/log.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { enqueue } from '../outbox/enqueue.ts'

/**
 * Halts a wallet: nothing more is signed for it. The owner sees why on the wallet and gets an email; operators get an alert
 * (docs/operations.md). Does nothing if it is already halted for this reason. Call inside a transaction.
 */
export function halt(ctx: Context, walletId: string, kind: HaltKind, detail: string): void {
  const { store, userId, now } = ctx
  if (store.wallet(walletId)?.halt_kind === kind) return
  logError('wallet_halted', { user: userId, wallet: walletId, kind, detail })
  store.update('wallet', walletId, { halt_kind: kind, halt_detail: detail })
  audit(store, now(), 'wallet.halted', walletId, { kind, detail })
  enqueue(ctx, 'mail.wallet_stopped', walletId)
  enqueue(ctx, 'trouble', walletId)
}

/** Ends a halt of this kind, and no other. Call inside a transaction. */
export function liftHalt(ctx: Context, walletId: string, kind: HaltKind): void {
  const { store, now } = ctx
  if (!store.update('wallet', walletId, { halt_kind: null, halt_detail: null }, { halt_kind: kind })) return
  audit(store, now(), 'wallet.resumed', walletId, { kind })
  enqueue(ctx, 'trouble', walletId)
}

/** Books that differ for less than this are no error: a node may show a block's balance before its logs. */
export const nodeLagMs = 30_000 // 30 seconds
/** A lagging node catches up well within this time. */
export const haltAfterMs = 5 * minuteMs

/** Books and balance are compared at CONFIRM_DEPTH by each reading, and again once a block is final. */
type Comparison = 'read' | 'final'
const sinceOf = { read: 'mismatch_since', final: 'final_mismatch_since' } as const satisfies Record<
  Comparison,
  keyof WalletRow
>

/** Records that the books do not explain the balance. Returns how long this has been known (ms), null if it is new. */
export function recordMismatch({ store, now }: Context, walletId: string, at: Comparison): number | null {
  const since = store.wallet(walletId)![sinceOf[at]]
  if (since !== null) return now() - since
  store.update('wallet', walletId, { [sinceOf[at]]: now() })
  return null
}

/** True while the last comparison of the books with the chain found a difference. */
export const hasMismatch = ({ mismatch_since, final_mismatch_since }: WalletRow): boolean =>
  (mismatch_since ?? final_mismatch_since) !== null

/** Records that everything not final is read again, once while the books differ. Returns false if it already was. */
export const recordReread = ({ store, now }: Context, walletId: string): boolean =>
  store.update('wallet', walletId, { reread_at: now() }, { reread_at: null })

/** For books that differ at a finalized block: halts the wallet if they have differed for `haltAfterMs` (`forMs`). */
export function haltForMismatch(ctx: Context, walletId: string, detail: string, forMs: number): void {
  if (forMs < haltAfterMs) return
  ctx.store.transaction(() => {
    if (ctx.store.wallet(walletId)?.halt_kind === null) halt(ctx, walletId, 'books', detail)
  })
}

/** Records that the books explain the balance, which lifts a halt for differing books. Call inside a transaction. */
export function clearMismatch(ctx: Context, wallet: WalletRow, at: Comparison): void {
  if (wallet[sinceOf[at]] === null) return
  ctx.store.update('wallet', wallet.id, { [sinceOf[at]]: null, reread_at: null })
  if (!hasMismatch({ ...wallet, [sinceOf[at]]: null })) liftHalt(ctx, wallet.id, 'books')
}
