import { logError } from '../../observability/log.ts'
import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import { enqueue } from '../outbox/enqueue.ts'
import type { WalletRow } from '../storage/rows.ts'

/**
 * Stops a wallet whose books the chain contradicts: nothing more is signed for it. The owner sees it on the
 * wallet and gets an email; operators get an alert (docs/operations.md). Inside a transaction.
 */
export function halt(ctx: Context, walletId: string, reason: string): void {
  logError('wallet_halted', { user: ctx.userId, wallet: walletId, reason })
  ctx.store.run('UPDATE wallet SET halted = ? WHERE id = ?', reason, walletId)
  audit(ctx.store, ctx.now(), 'wallet.halted', walletId, { reason })
  enqueue(ctx, 'mail.wallet_stopped', walletId)
  enqueue(ctx, 'trouble', walletId)
}

/** A lagging node catches up well before this. */
export const haltAfterMs = 5 * 60_000 // 5 minutes
const booksDiffer = 'books differ from the chain'
/** Where books and balance were compared: at CONFIRM_DEPTH by each reading, and again when a block has become final. */
type Comparison = 'read' | 'final'
const sinceKey = (walletId: string, at: Comparison) =>
  at === 'read' ? `books_differ:${walletId}` : `books_differ_when_final:${walletId}`

/** The books do not explain the balance. Returns for how long that is known (ms), null when it is new. */
export function noteBooksDiffer({ store, now }: Context, walletId: string, at: Comparison): number | null {
  const since = store.meta(sinceKey(walletId, at))
  if (since !== null) return now() - Number(since)
  store.setMeta(sinceKey(walletId, at), String(now()))
  return null
}

const againKey = (walletId: string) => `books_read_again:${walletId}`

/** Everything that is not final is read again, once while the books differ. False: it was already. */
export function noteReadAgain({ store, now }: Context, walletId: string): boolean {
  if (store.meta(againKey(walletId)) !== null) return false
  store.setMeta(againKey(walletId), String(now()))
  return true
}

/** They do not at a finalized block, `forMs` after that was noticed: halts the wallet until they do. */
export function haltForBooks(ctx: Context, walletId: string, why: string, forMs: number): void {
  if (forMs < haltAfterMs) return
  ctx.store.transaction(() => {
    if (ctx.store.wallet(walletId)?.halted === null) halt(ctx, walletId, `${booksDiffer}: ${why}`)
  })
}

/** The books explain the balance: ends a halt for this reason, and no other. Inside a transaction. */
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
