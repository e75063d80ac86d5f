import { chainIds } from '#domain/networks.ts'
import { authorizationIn, authorizationIsOver, authorizationLogs } from '../../chain/authorization.ts'
import type { Block, ChainId, Log } from '../../chain/types.ts'
import { confirmedBlock, finalizedBlock, freshHead } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import type { SendOnRow } from '../core/storage/rows.ts'
import { finalityWaits } from './bookings.ts'
import { readEveryNode, searchFrom } from './release.ts'

/**
 * What recipients send on is settled like payments: confirmed by a log, failed by proof at a finalized block. The signature is
 * kept until one of the two is final, because a reorganization may undo the transfer.
 */

/** Whether anything that recipients sent on is under way. */
export const hasOpenSendOn = ({ store }: Context): boolean =>
  store.first("SELECT 1 FROM send_on WHERE status = 'PROCESSING' AND r IS NOT NULL LIMIT 1") !== null

const signedRows = ({ store }: Context, chainId: ChainId, status: 'PROCESSING' | 'CONFIRMED'): SendOnRow[] =>
  store.all('SELECT * FROM send_on WHERE chain_id = ? AND status = ? AND r IS NOT NULL', chainId, status)

/** Confirms transfers that the chain shows, and fails those that can never happen. Throws RpcUnavailable. */
export async function settleSendOns(ctx: Context): Promise<void> {
  for (const chainId of chainIds) {
    const rows = signedRows(ctx, chainId, 'PROCESSING')
    if (rows.length === 0) continue
    const head = await freshHead(ctx, chainId, 0)
    for (const row of rows) {
      const [used] = await logsOf(ctx, row, confirmedBlock(ctx, head))
      if (used) confirm(ctx, row, used)
      else if (head.timestamp >= row.valid_before || (await isOver(ctx, row, head))) await failIfDead(ctx, row)
    }
  }
}

const isOver = (ctx: Context, row: SendOnRow, { number }: Block) =>
  authorizationIsOver(ctx.chains[row.chain_id], row.from_address, row.nonce, number)

/** Logs that the authorization was used, up to this block, from any node. */
async function logsOf(ctx: Context, row: SendOnRow, toBlock: number): Promise<Log[]> {
  const chain = ctx.chains[row.chain_id]
  const filter = authorizationLogs(chain.usdc, row.from_address, { nonce: row.nonce })
  const logs = await readEveryNode(chain, filter, searchFrom(row.first_block, toBlock), toBlock)
  return logs.flat().filter((log) => authorizationIn(log)?.event === 'used')
}

function confirm(ctx: Context, { payout_id, nonce, chain_id }: SendOnRow, { transactionHash, blockNumber }: Log): void {
  ctx.store.run(
    `UPDATE send_on SET status = 'CONFIRMED', tx_hash = ?, block = ? WHERE payout_id = ? AND nonce = ? AND status = 'PROCESSING'`,
    ...[transactionHash, blockNumber, payout_id, nonce],
  )
  ctx.schedule('finality', ctx.now() + finalityWaits(ctx, chain_id).first)
}

/** It is dead once a finalized block is past its end, or it was cancelled, and no node has seen it used. */
async function failIfDead(ctx: Context, row: SendOnRow): Promise<void> {
  const final = await finalizedBlock(ctx, row.chain_id)
  const isUsedOrCancelled = await isOver(ctx, row, final)
  if (!isUsedOrCancelled && final.timestamp < row.valid_before) return
  const [used] = await logsOf(ctx, row, final.number)
  if (used) confirm(ctx, row, used)
  // If it is over without a log of its use, it was cancelled; unless a node hides the log, which nothing follows from.
  else if (!isUsedOrCancelled || (await wasCancelled(ctx, row, final))) end(ctx, row, 'FAILED')
}

async function wasCancelled(ctx: Context, row: SendOnRow, { number }: Block): Promise<boolean> {
  const chain = ctx.chains[row.chain_id]
  const filter = authorizationLogs(chain.usdc, row.from_address, { event: 'cancelled', nonce: row.nonce })
  const found = await readEveryNode(chain, filter, searchFrom(row.first_block, number), number)
  return found.every((logs) => logs.length > 0)
}

/** The outcome is final, so the signature is erased. */
const end = ({ store }: Context, { payout_id, nonce }: SendOnRow, status: 'CONFIRMED' | 'FAILED') =>
  store.run(
    'UPDATE send_on SET status = ?, r = NULL, vs = NULL WHERE payout_id = ? AND nonce = ?',
    ...[status, payout_id, nonce],
  )

/**
 * Ends transfers whose blocks are final. One that a reorganization has removed is delivered again. Returns when to check again
 * (ms), null if nothing waits.
 */
export async function endFinalSendOns(ctx: Context): Promise<number | null> {
  for (const chainId of chainIds) {
    const rows = signedRows(ctx, chainId, 'CONFIRMED')
    const final = rows.length > 0 ? await finalizedBlock(ctx, chainId) : null
    for (const row of rows) {
      if (row.block! > final!.number) continue
      const [used] = await logsOf(ctx, row, final!.number)
      if (used) end(ctx, row, 'CONFIRMED')
      else reopen(ctx, row)
    }
  }
  const waits = chainIds
    .filter((chainId) => signedRows(ctx, chainId, 'CONFIRMED').length > 0)
    .map((chainId) => finalityWaits(ctx, chainId).between)
  return waits.length === 0 ? null : ctx.now() + Math.min(...waits)
}

function reopen(ctx: Context, { payout_id, nonce }: SendOnRow): void {
  ctx.store.run(
    "UPDATE send_on SET status = 'PROCESSING', tx_hash = NULL, block = NULL WHERE payout_id = ? AND nonce = ?",
    ...[payout_id, nonce],
  )
  ctx.schedule('settle', ctx.now())
}
