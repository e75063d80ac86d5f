import { bytesToHex } from '@noble/hashes/utils'
import type { Context } from '../core/context.ts'
import { enqueue } from '../outbox/enqueue.ts'

export const saltBinding = (ctx: Context) => `${ctx.userId}|payout salt`

/** The salt of the payouts' keys, created when it is first needed. */
export function payoutSalt(ctx: Context): string {
  const known = ctx.store.meta('payout_salt')
  if (known) return known
  const salt = bytesToHex(ctx.random(32))
  ctx.store.setMeta('payout_salt', salt)
  return salt
}

/** Seals the salt for D1, before the first payout needs it. Repeating it changes nothing. */
export async function ensureSaltBackedUp(ctx: Context): Promise<void> {
  const { store } = ctx
  if (store.first('SELECT 1 FROM kept_salt')) return
  const sealed = await ctx.sealer.seal(payoutSalt(ctx), saltBinding(ctx))
  store.transaction(() => {
    store.run('INSERT OR IGNORE INTO kept_salt (one, sealed_salt) VALUES (1, ?)', sealed)
    enqueue(ctx, 'kept', 'salt')
  })
}
