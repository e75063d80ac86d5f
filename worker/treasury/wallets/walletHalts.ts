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
const haltAfterMs = 5 * 60_000 // 5 minutes
const booksDiffer = 'books differ from the chain'
const sinceKey = (walletId: string) => `books_differ:${walletId}`

/** The books do not explain the balance. After five minutes of this the wallet halts until they do. */
export function noteBooksDiffer(ctx: Context, walletId: string, why: string): void {
  const { store } = ctx
  store.transaction(() => {
    const since = store.meta(sinceKey(walletId))
    if (since === null) store.setMeta(sinceKey(walletId), String(ctx.now()))
    else if (ctx.now() - Number(since) >= haltAfterMs && store.wallet(walletId)?.halted === null)
      halt(ctx, walletId, `${booksDiffer}: ${why}`)
  })
}

/** The books explain the balance: ends a halt for this reason, and no other. Inside a transaction. */
export function noteBooksAgree(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  if (store.meta(sinceKey(wallet.id)) === null) return
  store.run('DELETE FROM meta WHERE key = ?', sinceKey(wallet.id))
  if (!wallet.halted?.startsWith(booksDiffer)) return
  store.run('UPDATE wallet SET halted = NULL WHERE id = ?', wallet.id)
  audit(store, ctx.now(), 'wallet.resumed', wallet.id, { reason: booksDiffer })
  enqueue(ctx, 'trouble', wallet.id)
}
