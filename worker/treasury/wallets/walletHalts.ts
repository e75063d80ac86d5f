import { logError } from '../../observability/log.ts'
import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import { enqueue } from '../outbox/enqueue.ts'
import type { WalletRow } from '../storage/rows.ts'

/**
 * Halts a wallet whose books the chain contradicts: nothing more is signed for it. The owner sees the halt on the
 * wallet and gets an email; operators get an alert (docs/operations.md). Call inside a transaction.
 */
export function halt(ctx: Context, walletId: string, reason: string): void {
  logError('wallet_halted', { user: ctx.userId, wallet: walletId, reason })
  ctx.store.run('UPDATE wallet SET halted = ? WHERE id = ?', reason, walletId)
  audit(ctx.store, ctx.now(), 'wallet.halted', walletId, { reason })
  enqueue(ctx, 'mail.wallet_stopped', walletId)
  enqueue(ctx, 'trouble', walletId)
}

/** A lagging node catches up well within this time. */
export const haltAfterMs = 5 * 60_000 // 5 minutes
const booksDiffer = 'books differ from the chain'
/** Books and balance are compared at CONFIRM_DEPTH by each reading, and again once a block is final. */
type Comparison = 'read' | 'final'
const sinceKey = (walletId: string, at: Comparison) =>
  at === 'read' ? `books_differ:${walletId}` : `books_differ_when_final:${walletId}`

/** Records that the books do not explain the balance. Returns how long this has been known (ms), null if it is new. */
export function noteBooksDiffer({ store, now }: Context, walletId: string, at: Comparison): number | null {
  const since = store.meta(sinceKey(walletId, at))
  if (since !== null) return now() - Number(since)
  store.setMeta(sinceKey(walletId, at), String(now()))
  return null
}

/** True while the last comparison of the books with the chain found a difference. */
export const doBooksDiffer = ({ store }: Context, walletId: string): boolean =>
  (store.meta(sinceKey(walletId, 'read')) ?? store.meta(sinceKey(walletId, 'final'))) !== null

const againKey = (walletId: string) => `books_read_again:${walletId}`

/** Records that everything not final is read again, once while the books differ. Returns false if it already was. */
export function noteReadAgain({ store, now }: Context, walletId: string): boolean {
  if (store.meta(againKey(walletId)) !== null) return false
  store.setMeta(againKey(walletId), String(now()))
  return true
}

/** For books that differ at a finalized block: halts the wallet if they have differed for `haltAfterMs` (`forMs`). */
export function haltForBooks(ctx: Context, walletId: string, why: string, forMs: number): void {
  if (forMs < haltAfterMs) return
  ctx.store.transaction(() => {
    if (ctx.store.wallet(walletId)?.halted === null) halt(ctx, walletId, `${booksDiffer}: ${why}`)
  })
}

/** Records that the books explain the balance. Lifts a halt for differing books, but no other. Call inside a transaction. */
export function noteBooksAgree(ctx: Context, wallet: WalletRow, at: Comparison): void {
  const { store } = ctx
  if (store.meta(sinceKey(wallet.id, at)) === null) return
  store.run('DELETE FROM meta WHERE key IN (?, ?)', sinceKey(wallet.id, at), againKey(wallet.id))
  const other = store.meta(sinceKey(wallet.id, at === 'read' ? 'final' : 'read'))
  if (other !== null || !wallet.halted?.startsWith(booksDiffer)) return
  store.run('UPDATE wallet SET halted = NULL WHERE id = ?', wallet.id)
  audit(store, ctx.now(), 'wallet.resumed', wallet.id, { reason: booksDiffer })
  enqueue(ctx, 'trouble', wallet.id)
}
