import { type Block, type Hex, RpcUnavailable } from '../../chain/types.ts'
import { logWarning } from '../../observability/log.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { readBy } from '../wallets/idleReads.ts'
import { hasMismatch } from '../wallets/walletHalts.ts'
import { undoBookings } from './undo.ts'

/** How long a difference must last: a node behind the URL may briefly be on its own branch. */
const apartMs = 30_000 // 30 seconds

/** The node shows a block other than the one that was booked. Nothing was booked or undone; the check is repeated. */
export class BranchUnclear extends RpcUnavailable {}

/** Whether the books differ from the chain, or a booked block from the node's. */
export const isUnclear = (wallet: WalletRow): boolean => hasMismatch(wallet) || wallet.suspect_block !== null

const trusted = { suspect_block: null, suspect_since: null }

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
  const known = store.wallet(wallet.id)!
  if (seen.hash === ours.hash) {
    if (known.suspect_block === ours.block) store.update('wallet', wallet.id, trusted)
    return false
  }
  const isSure = (await secondDiffers(ctx, wallet, ours)) || isOld(ctx, known, ours.block)
  const now = store.wallet(wallet.id)!
  if (now.anchor_hash !== wallet.anchor_hash || now.final_block !== wallet.final_block) return true
  if (!isSure) return recordSuspect(ctx, now, ours, seen)
  store.transaction(() => {
    store.update('wallet', wallet.id, trusted)
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
const isOld = (ctx: Context, { suspect_block, suspect_since }: WalletRow, block: number): boolean =>
  suspect_block === block && ctx.now() - suspect_since! >= apartMs

function recordSuspect(
  ctx: Context,
  wallet: WalletRow,
  { block, hash }: { block: number; hash: Hex },
  seen: Block,
): never {
  const { store, now } = ctx
  if (wallet.suspect_block !== block || wallet.suspect_since! > now()) {
    logWarning('chain_differs', { user: ctx.userId, wallet: wallet.id, block, hash, seen: seen.hash })
    store.update('wallet', wallet.id, { suspect_block: block, suspect_since: now() })
    readBy(ctx, wallet.id, now() + apartMs)
  }
  throw new BranchUnclear(`block ${block} was ${hash}, the node shows ${seen.hash}`)
}
