import { audit } from './audit.ts'
import type { Context } from './context.ts'
import { changed } from './outbox.ts'
import type { WalletRow } from './store.ts'

/**
 * Wallets that pay nobody because the chain contradicts what we know. What is held stays held; the owner sees it on the
 * wallet and is told by mail, the operator reads `wallet halted` in the logs (docs/operations.md). Inside a transaction.
 */
export function halt(ctx: Context, walletId: string, reason: string): void {
  console.error('wallet halted', ctx.userId, walletId, reason)
  ctx.store.run('UPDATE wallet SET halted = ? WHERE id = ?', reason, walletId)
  audit(ctx.store, ctx.now(), 'wallet.halted', walletId, { reason })
  changed(ctx, 'mail', `${walletId}:halted`)
}

/** A node that lags is level again well before this. */
const patienceMs = 5 * 60_000 // 5 minutes
const booksDiffer = 'books differ from the chain'
const sinceKey = (walletId: string) => `books_differ:${walletId}`

/** The books did not explain the balance, again: after five minutes the wallet stops until they do. */
export function noteBooksDiffer(ctx: Context, walletId: string, why: string): void {
  const { store } = ctx
  store.transaction(() => {
    const since = store.meta(sinceKey(walletId))
    if (since === null) store.setMeta(sinceKey(walletId), String(ctx.now()))
    else if (ctx.now() - Number(since) >= patienceMs && store.wallet(walletId)?.halted === null)
      halt(ctx, walletId, `${booksDiffer}: ${why}`)
  })
}

/** They do. What another reason halted stays so. Inside a transaction. */
export function noteBooksAgree(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  if (store.meta(sinceKey(wallet.id)) === null) return
  store.run('DELETE FROM meta WHERE key = ?', sinceKey(wallet.id))
  if (!wallet.halted?.startsWith(booksDiffer)) return
  store.run('UPDATE wallet SET halted = NULL WHERE id = ?', wallet.id)
  audit(store, ctx.now(), 'wallet.resumed', wallet.id, { reason: booksDiffer })
}
