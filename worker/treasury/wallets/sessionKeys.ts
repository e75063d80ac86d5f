import { bytesToHex } from '@noble/hashes/utils'
import { addressOf } from '../../chain/sign.ts'
import type { Address, Hex } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import type { SessionRow, WalletRow } from '../storage/rows.ts'
import { checkPlainKey, isPlainKey } from './plainKey.ts'

/** Opens the current session's key into memory, so that signing needs no await. */
export async function loadSessionKey(ctx: Context, wallet: WalletRow): Promise<void> {
  const session = ctx.store.session(wallet.id)
  if (!session) return
  if (wallet.kind === 'imported' && !isPlainKey(ctx, wallet)) await checkPlainKey(ctx, wallet)
  if (ctx.keys.has(cacheKey(session))) return
  const binding = wallet.kind === 'smart' ? sessionKeyBinding : importedKeyBinding
  const key = await ctx.sealer.open(session.sealed_key, binding(ctx, wallet.id))
  ctx.keys.set(cacheKey(session), key as `0x${string}`)
}

export const cacheKey = (session: SessionRow) => `${session.wallet_id}:${session.epoch}`

export const importedKeyBinding = (ctx: Context, walletId: string) => `${ctx.userId}|imported key|${walletId}`

export const sessionKeyBinding = (ctx: Context, walletId: string) => `${ctx.userId}|session key|${walletId}`

/** Creates a session key. Only its address ever leaves this object. */
export async function newSessionKey(ctx: Context, walletId: string): Promise<{ address: Address; sealed: string }> {
  const key: Hex = `0x${bytesToHex(ctx.random(32))}`
  return { address: addressOf(key), sealed: await ctx.sealer.seal(key, sessionKeyBinding(ctx, walletId)) }
}
