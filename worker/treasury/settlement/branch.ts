import { type Block, type Hex, RpcUnavailable } from '../../chain/types.ts'
import { logWarning } from '../../observability/log.ts'
import type { Context } from '../context.ts'
import type { WalletRow } from '../storage/rows.ts'
import { undoBookings } from './undo.ts'

/** How long a difference must last: a node behind the URL may briefly be on its own branch. */
const apartMs = 30_000 // 30 seconds

/** The node shows a block other than the one that was booked. Nothing was booked or undone; the check is repeated. */
export class BranchUnclear extends RpcUnavailable {}

/** A block that was seen to differ: its number, and when that was first seen (ms). */
type Doubt = { block: number; at: number }
const doubtKey = (walletId: string) => `branch:${walletId}`

function doubtOf({ store }: Context, walletId: string): Doubt | null {
  const stored = store.meta(doubtKey(walletId))
  return stored === null ? null : (JSON.parse(stored) as Doubt)
}

/**
 * Compares a booked block with the one that the first node shows at its height. If they differ, everything that is not
 * final is undone once a second node differs from ours as well, or the first still does after 30 seconds; until then this
 * throws BranchUnclear. Returns true if the books are no longer those that were compared, so that they must be read again:
 * bookings were undone, here or by another reading meanwhile. A node that lacks the block proves nothing.
 */
export async function undoOtherBranch(
  ctx: Context,
  wallet: WalletRow,
  ours: { block: number; hash: Hex },
  seen: Block,
): Promise<boolean> {
  const { store } = ctx
  const doubt = doubtOf(ctx, wallet.id)
  if (seen.hash === ours.hash) {
    if (doubt?.block === ours.block) store.run('DELETE FROM meta WHERE key = ?', doubtKey(wallet.id))
    return false
  }
  const isSure = (await secondDiffers(ctx, wallet, ours)) || isOld(ctx, doubt, ours.block)
  const now = store.wallet(wallet.id)!
  if (now.anchor_hash !== wallet.anchor_hash || now.final_block !== wallet.final_block) return true
  if (!isSure) return noteDoubt(ctx, wallet, ours, seen)
  store.transaction(() => {
    store.run('DELETE FROM meta WHERE key = ?', doubtKey(wallet.id))
    undoBookings(ctx, wallet.id, { block: ours.block, hash: ours.hash, seen: seen.hash })
  })
  return true
}

async function secondDiffers(ctx: Context, wallet: WalletRow, ours: { block: number; hash: Hex }): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  if (!chain.hasSecond) return false
  const second = await chain.block(ours.block, 'second').catch(() => null)
  return second !== null && second.hash !== ours.hash
}

/** True if the block has differed for `apartMs`. A clock that was set back proves nothing. */
const isOld = (ctx: Context, doubt: Doubt | null, block: number): boolean =>
  doubt?.block === block && ctx.now() - doubt.at >= apartMs

function noteDoubt(ctx: Context, wallet: WalletRow, { block, hash }: { block: number; hash: Hex }, seen: Block): never {
  const { store, now } = ctx
  const doubt = doubtOf(ctx, wallet.id)
  if (doubt?.block !== block || doubt.at > now()) {
    logWarning('chain_differs', { user: ctx.userId, wallet: wallet.id, block, hash, seen: seen.hash })
    store.setMeta(doubtKey(wallet.id), JSON.stringify({ block, at: now() } satisfies Doubt))
    ctx.schedule('scan', now() + apartMs)
  }
  throw new BranchUnclear(`block ${block} was ${hash}, the node shows ${seen.hash}`)
}
