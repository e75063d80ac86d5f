import { blockMs } from '#domain/networks.ts'
import type { Block, ChainId, Hex } from '../../chain/types.ts'
import { earliest } from '../../durable/alarms.ts'
import { finalizedBlock } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import type { PayoutRow, WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { settleReclaimed } from '../ledger/ledger.ts'
import { forgetNumbers } from '../ledger/purchaseNumbers.ts'
import { recordChange } from '../outbox/changes.ts'
import { forgetOffers } from '../payments/purchases/offers.ts'
import { clearMismatch, haltForMismatch, recordMismatch } from '../wallets/walletHalts.ts'
import { bookedBalance, finalityWaits } from './bookings.ts'
import { BranchUnclear, undoOtherBranch } from './branch.ts'
import { BooksDiffer, scanWallet } from './scan.ts'
import { endFinalSendOns } from './sendOns.ts'
import { isBusy } from './settle.ts'
import { undoBookings } from './undo.ts'

/** Maximum number of blocks with bookings that one check compares; the next check continues. */
const blocksPerCheck = 100

/**
 * Deletes bookings whose blocks are final: they can no longer be undone, and budgets get the amounts of reclaimed payouts
 * back. Before that it compares the blocks with the chain once more, and the books with the balance at the finalized
 * block. Returns when to check again (ms), null if nothing is waiting.
 */
export async function settleFinality(ctx: Context): Promise<number | null> {
  const waiting = ctx.store.all<WalletRow>(
    "SELECT * FROM wallet WHERE status = 'active' AND id IN (SELECT wallet_id FROM booking)",
  )
  const failures: unknown[] = []
  const sendOnsAt = await endFinalSendOns(ctx).catch((error: unknown) => {
    failures.push(error)
    return null
  })
  for (const wallet of waiting) await check(ctx, wallet).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return earliest(nextCheckAt(ctx), sendOnsAt)
}

async function check(ctx: Context, wallet: WalletRow): Promise<void> {
  await endFinal(ctx, wallet)
  // What is left may have been reorganized, which reading detects. Busy wallets are read anyway.
  if (isWaiting(ctx, wallet.id) && !isBusy(ctx, wallet)) await scanWallet(ctx, wallet.id)
}

const isWaiting = ({ store }: Context, walletId: string): boolean =>
  store.first('SELECT 1 FROM booking WHERE wallet_id = ? LIMIT 1', walletId) !== null

/** Estimated from the last known final block of each wallet. */
function nextCheckAt(ctx: Context): number | null {
  const waits = ctx.store
    .all<{ chain_id: ChainId; blocks: number }>(
      `SELECT chain_id, min(booking.block - final_block) AS blocks FROM booking JOIN wallet ON wallet.id = wallet_id
       WHERE status = 'active' GROUP BY wallet.id`,
    )
    .map(({ chain_id, blocks }) => {
      const { first, between } = finalityWaits(ctx, chain_id)
      return Math.min(first, Math.max(between, blocks * blockMs))
    })
  return waits.length === 0 ? null : ctx.now() + Math.min(...waits)
}

/** Advances the wallet's final block. Throws BooksDiffer, BranchUnclear or RpcUnavailable; nothing becomes final then. */
export async function endFinal(ctx: Context, { id, chain_id }: Pick<WalletRow, 'id' | 'chain_id'>): Promise<void> {
  const { store } = ctx
  const chain = ctx.chains[chain_id]
  const final = await finalizedBlock(ctx, chain_id)
  const wallet = store.wallet(id)!
  if (wallet.anchor_block === null || final.number <= wallet.final_block) return
  const booked = bookedBlocks(ctx, wallet, Math.min(final.number, wallet.scanned_block))
  const target = booked.length === blocksPerCheck ? booked.at(-1)!.block : Math.min(final.number, wallet.scanned_block)
  if (target <= wallet.final_block) return

  const compared = [{ block: wallet.anchor_block, hash: wallet.anchor_hash! }, ...booked]
  const [balance, ...seen] = await Promise.all([
    booked.length === 0 ? null : chain.usdcBalance(wallet.address, target),
    ...compared.map(({ block }) => chain.block(block)),
  ])
  for (const [i, ours] of compared.entries()) if (await undoOtherBranch(ctx, wallet, ours, seen[i] as Block)) return

  // Neither the branch nor the balance was compared with what another reading booked meanwhile.
  const now = store.wallet(id)!
  if (now.anchor_hash !== wallet.anchor_hash || now.scanned_block < target)
    throw new BranchUnclear(`the books of ${id} changed while they were compared`)
  const inBooks = bookedBalance(store, now, target)
  if (balance !== null && balance !== inBooks) rereadOrHalt(ctx, now, new BooksDiffer(id, target, inBooks, balance))
  store.transaction(() => {
    store.run('UPDATE wallet SET final_block = max(final_block, ?) WHERE id = ?', target, id)
    forgetOffers(store, id, target)
    forgetNumbers(store, id, target)
    store.run('DELETE FROM booking WHERE wallet_id = ? AND block <= ?', id, target)
    releaseReturned(ctx, id, target)
    clearMismatch(ctx, now, 'final')
  })
}

const bookedBlocks = ({ store }: Context, { id, final_block }: WalletRow, toBlock: number) =>
  store.all<{ block: number; hash: Hex }>(
    `SELECT DISTINCT block, block_hash AS hash FROM booking WHERE wallet_id = ? AND block > ? AND block <= ?
     ORDER BY block LIMIT ?`,
    id,
    final_block,
    toBlock,
    blocksPerCheck,
  )

/** Called for books that differ but were right at a later block. Reads everything again once, then halts the wallet. */
function rereadOrHalt(ctx: Context, wallet: WalletRow, error: BooksDiffer): never {
  const forMs = recordMismatch(ctx, wallet.id, 'final')
  if (forMs === null)
    undoBookings(ctx, wallet.id, { block: wallet.anchor_block, hash: wallet.anchor_hash, why: error.message })
  else haltForMismatch(ctx, wallet.id, error.message, forMs)
  throw error
}

/** Returns the amounts of reclaimed payouts to their budgets, once the blocks of the reclaims are final. */
export function releaseReturned(ctx: Context, walletId: string, toBlock: number): void {
  const { store } = ctx
  for (const { id } of store.all<PayoutRow>(
    'SELECT * FROM payout WHERE wallet_id = ? AND returned_block <= ?',
    walletId,
    toBlock,
  )) {
    store.run('UPDATE payout SET returned_block = NULL WHERE id = ?', id)
    settleReclaimed(store, store.payment(id)!, ctx.now())
    recordChange(ctx, id)
    audit(store, ctx.now(), 'payout.released', id, { finalBlock: toBlock })
  }
}

/** True if a reclaimed payout waits for finality, so that a budget may have more room than it shows. */
export const hasReturned = ({ store }: Context, walletId: string): boolean =>
  store.first('SELECT 1 FROM payout WHERE wallet_id = ? AND returned_block IS NOT NULL LIMIT 1', walletId) !== null
