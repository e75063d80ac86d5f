import { bytesToHex } from '@noble/hashes/utils'
import { addressOf } from '../../chain/sign.ts'
import type { Address, Hex } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import type { SessionRow, WalletRow } from '../core/storage/rows.ts'
import { halt, liftHalt } from './walletHalts.ts'

/** Unsealed session keys by `cacheKey`. */
export const openKeys = inMemory(() => new Map<string, Hex>())
/** By id of an imported wallet: the last check for contract code. `isPlain`: it had none. `requestedAt` in ms. */
export const codeChecks = inMemory(() => new Map<string, { isPlain: boolean; requestedAt: number }>())

/** Opens the current session's key into memory, so that signing needs no await. */
export async function loadSessionKey(ctx: Context, wallet: WalletRow): Promise<void> {
  const session = ctx.store.session(wallet.id)
  if (!session) return
  if (wallet.kind === 'imported' && !isPlainKey(ctx, wallet)) await checkPlainKey(ctx, wallet)
  if (openKeys(ctx).has(cacheKey(session))) return
  const binding = wallet.kind === 'smart' ? sessionKeyBinding : importedKeyBinding
  const key = await ctx.sealer.open(session.sealed_key, binding(ctx, wallet.id))
  // Otherwise the session ended meanwhile, and its key must not be used for another one.
  if (ctx.store.session(wallet.id)?.key_address === session.key_address)
    openKeys(ctx).set(cacheKey(session), key as `0x${string}`)
}

export const cacheKey = (session: SessionRow) => `${session.wallet_id}:${session.epoch}`

export const importedKeyBinding = (ctx: Context, walletId: string) => `${ctx.userId}|imported key|${walletId}`

export const sessionKeyBinding = (ctx: Context, walletId: string) => `${ctx.userId}|session key|${walletId}`

/** Creates a session key. Only its address ever leaves this object. */
export async function newSessionKey(ctx: Context, walletId: string): Promise<{ address: Address; sealed: string }> {
  const key: Hex = `0x${bytesToHex(ctx.random(32))}`
  return { address: addressOf(key), sealed: await ctx.sealer.seal(key, sessionKeyBinding(ctx, walletId)) }
}

/** How long a check that the account has no code remains valid: EIP-7702 lets a plain key get code at any time. */
const plainForMs = 30_000 // 30 seconds

/** True if the account had no code a moment ago: USDC then checks the key's own signature, and no contract can approve. */
export function isPlainKey(ctx: Context, wallet: WalletRow): boolean {
  const known = codeChecks(ctx).get(wallet.id)
  return known?.isPlain === true && ctx.now() - known.requestedAt < plainForMs
}

/** Halts the wallet while its account has code, so that nothing is signed for it. Throws RpcUnavailable. */
export async function checkPlainKey(ctx: Context, wallet: WalletRow): Promise<void> {
  const requestedAt = ctx.now()
  const code = await ctx.chains[wallet.chain_id].code(wallet.address)
  const isPlain = code === '0x'
  // Checks may overlap: a slower, older one must not replace a newer result.
  if ((codeChecks(ctx).get(wallet.id)?.requestedAt ?? 0) > requestedAt) return
  codeChecks(ctx).set(wallet.id, { isPlain, requestedAt })
  ctx.store.transaction(() => {
    if (isPlain) return liftHalt(ctx, wallet.id, 'code')
    if (ctx.store.wallet(wallet.id)?.halt_kind === null) halt(ctx, wallet.id, 'code', 'its account has contract code')
  })
}
