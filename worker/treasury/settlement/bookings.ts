import { minuteMs } from '#domain/time.ts'
import { type ChainId, type Log, RpcUnavailable } from '../../chain/types.ts'
import { finalAge } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import type { BookingRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { bookedOf } from '../ledger/balances.ts'

/** Keeps bookings that are not final yet, so that undo.ts can undo them. finality.ts deletes them. */

type BookedLog = Pick<Log, 'blockNumber' | 'blockHash' | 'transactionHash' | 'logIndex'>
type Effect = Pick<BookingRow, 'kind' | 'value'> & Partial<Pick<BookingRow, 'ref' | 'status_before'>>

/** Call inside the transaction of the booking. A booking in a final block is not kept. */
export function keepBooking(ctx: Context, wallet: WalletRow, log: BookedLog, effect: Effect): void {
  if (log.blockNumber <= wallet.final_block) return
  ctx.store.insert('booking', {
    wallet_id: wallet.id,
    block: log.blockNumber,
    log_index: log.logIndex,
    block_hash: log.blockHash,
    tx: log.transactionHash,
    ...effect,
  })
  ctx.schedule('finality', ctx.now() + finalityWaits(ctx, wallet.chain_id).first)
}

const minWaitMs = 5_000 // 5 seconds
const maxWaitMs = 30 * minuteMs

/**
 * How long to wait for finality (ms): before the first check, and at least between two. Blocks of Base become final after 15
 * to 25 minutes, many at the same time; local ones immediately.
 */
export function finalityWaits(ctx: Context, chainId: ChainId): { first: number; between: number } {
  const age = finalAge(ctx, chainId)
  const clamp = (ms: number) => Math.min(maxWaitMs, Math.max(minWaitMs, ms))
  return age === null
    ? { first: minWaitMs, between: minWaitMs }
    : { first: clamp((age * 9) / 8), between: clamp(age / 8) }
}

/** Deletes the booking of a log that was booked as the owner's withdrawal but is a payment. */
export const dropWithdrawal = (ctx: Context, wallet: WalletRow, { blockNumber, logIndex }: Log) =>
  ctx.store.run(
    "DELETE FROM booking WHERE wallet_id = ? AND block = ? AND log_index = ? AND kind = 'left'",
    wallet.id,
    blockNumber,
    logIndex,
  )

/** Throws RpcUnavailable if something was booked from another block with the number of one of these. */
export function refuseOtherBranch(
  ctx: Context,
  wallet: WalletRow,
  logs: Pick<Log, 'blockNumber' | 'blockHash'>[],
): void {
  for (const { blockNumber, blockHash } of new Map(logs.map((log) => [log.blockHash, log])).values()) {
    const other = ctx.store.first(
      'SELECT 1 FROM booking WHERE wallet_id = ? AND block = ? AND block_hash <> ? LIMIT 1',
      wallet.id,
      blockNumber,
      blockHash,
    )
    if (other) throw new RpcUnavailable(`block ${blockNumber} is not the one that was booked`)
  }
}

/** Bookings that are not final yet, newest first: the order in which they can be undone. */
export const openBookings = (store: Store, wallet: WalletRow) =>
  store.all<BookingRow>(
    'SELECT * FROM booking WHERE wallet_id = ? AND block > ? ORDER BY seq DESC',
    wallet.id,
    wallet.final_block,
  )

/** The wallet's balance in the books after `block`, in micro-USDC. */
export function bookedBalance(store: Store, wallet: WalletRow, block: number): bigint {
  const { since } = store.first<{ since: number }>(
    `SELECT coalesce(sum(CASE WHEN kind IN ('deposited','returned') THEN value
       WHEN kind IN ('left','paid','funded') THEN -value ELSE 0 END), 0) AS since
     FROM booking WHERE wallet_id = ? AND block > ?`,
    wallet.id,
    block,
  )!
  return bookedOf(wallet) - BigInt(since)
}
