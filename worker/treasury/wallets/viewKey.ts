import { attemptAllowed, recordWrong } from '#domain/attempts.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { viewBinding } from './importWallet.ts'
import { openUnderPassword } from './masterPassword.ts'

/**
 * Returns the private key to a caller who knows the master password. An attempt is counted before it is checked, and a
 * correct one resets the count, so parallel attempts can't exceed five checks in fifteen minutes either.
 */
export async function viewPrivateKey(
  ctx: Context,
  walletId: string,
  masterPassword: string,
): Promise<Result<{ privateKey: string }>> {
  const { store } = ctx
  const row = store.liveWallet(walletId) && store.importedKey(walletId)
  if (!row) return notFound('Wallet')
  const refused = store.transaction((): Refused | null => {
    const { tries, locked_until } = store.importedKey(walletId)!
    const attempts = { total: 0, recent: tries, lockedUntil: locked_until }
    const allowed = attemptAllowed(attempts, ctx.now())
    if (!allowed.ok)
      return {
        ok: false,
        code: 'rate_limited',
        message: allowed.message,
        field: 'masterPassword',
        ...(allowed.retryAfter === null ? {} : { retryAfter: allowed.retryAfter }),
      }
    const next = recordWrong(attempts, ctx.now())
    setTries(ctx, walletId, next.recent, next.lockedUntil)
    return null
  })
  if (refused) return refused
  const underPassword = await ctx.sealer.open(row.sealed_view, viewBinding(ctx, walletId))
  const privateKey = await openUnderPassword(underPassword, masterPassword)
  store.transaction(() => {
    if (privateKey !== null) setTries(ctx, walletId, 0, 0)
    audit(store, ctx.now(), privateKey === null ? 'wallet.key_refused' : 'wallet.key_viewed', walletId)
  })
  if (privateKey === null)
    return refuse('unprocessable', 'Invalid master password or failed to retrieve private key.', {
      field: 'masterPassword',
    })
  return ok({ privateKey })
}

const setTries = (ctx: Context, walletId: string, tries: number, lockedUntil: number) =>
  ctx.store.run('UPDATE imported_key SET tries = ?, locked_until = ? WHERE wallet_id = ?', tries, lockedUntil, walletId)
