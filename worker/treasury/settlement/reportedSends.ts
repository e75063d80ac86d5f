import { addressTopic, topics } from '../../chain/calls.ts'
import { afterSend } from '../../chain/sendWindow.ts'
import type { Block, Hex, Log, WalletState } from '../../chain/types.ts'
import { digestOf } from '../../chain/watchReader.ts'
import type { Context } from '../core/context.ts'
import { minedLogs } from '../core/minedReports.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { isOpenPayout } from '../core/storage/statuses.ts'
import { stateAtLogsRead } from '../wallets/idleReads.ts'
import type { Reading } from './booking.ts'
import { isUnclear } from './branch.ts'

/**
 * What the Relayer reports of a smart wallet's sends in place of the node's logs, if that is provably everything that happened.
 *
 * The wallet's state is known at the last block that was read. Each send changes it in one way, each call of its owner counts in it,
 * and nothing else can take money out while its session may not purchase (record 103). So if the state at the new block is exactly the
 * former one after the reported sends, its balance included, nothing else has moved. Otherwise the logs are read.
 */

/** More blocks than this cost the node as much as their logs. */
const mostBlocks = 4

type ReportedSends = {
  logs: Log[]
  /** Digest of the wallet if nothing but these sends has happened. */
  digest: Hex
}

/** The sends after the block that was read last, up to this one. Null if they can't prove that nothing else has happened. */
export function reportedSends(ctx: Context, wallet: WalletRow, toBlock: number): ReportedSends | null {
  const state = stateAtLogsRead(ctx, wallet.id)
  if (state === null || state.blockNumber !== wallet.scanned_block || state.purchaseAllowance > 0) return null
  if (isUnclear(wallet) || ctx.store.meta('restore') !== null) return null
  // Whoever claims a payout changes nothing of the wallet.
  if (ctx.store.first(`SELECT 1 FROM payout WHERE wallet_id = ? AND ${isOpenPayout} LIMIT 1`, wallet.id)) return null
  const logs = (minedLogs(ctx).get(wallet.id) ?? [])
    .filter(({ blockNumber }) => blockNumber > wallet.scanned_block && blockNumber <= toBlock)
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  const after = afterSends(ctx, wallet, state, logs)
  return after && { logs, digest: digestOf(after, after.balance) }
}

/** Null unless the logs are sends of the wallet and nothing else: each a log of its nonce and the transfer behind it. */
function afterSends(ctx: Context, wallet: WalletRow, state: WalletState, logs: readonly Log[]): WalletState | null {
  const { address } = wallet
  const { usdc } = ctx.chains[wallet.chain_id]
  let after: WalletState | null = state
  for (let i = 0; i < logs.length; i += 2) {
    const [nonce, transfer] = [logs[i]!, logs[i + 1]]
    const isSend =
      nonce.address === address.toLowerCase() &&
      nonce.topics.length === 1 &&
      nonce.data === '0x' &&
      transfer?.address === usdc.toLowerCase() &&
      transfer.topics[0] === topics.transfer &&
      transfer.topics[1] === addressTopic(address) &&
      transfer.transactionHash === nonce.transactionHash &&
      transfer.logIndex === nonce.logIndex + 1
    after = isSend ? after && afterSend(after, BigInt(transfer.data), BigInt(nonce.topics[0]!)) : null
  }
  return after
}

/** Whether the blocks of these logs are still in the chain, of which `last` is the newest that counts. Throws RpcUnavailable. */
export async function areCanonical(
  ctx: Context,
  wallet: WalletRow,
  logs: Log[],
  last: Pick<Block, 'number' | 'hash'>,
): Promise<boolean> {
  const hashes = [...new Map(logs.map(({ blockNumber, blockHash }) => [blockHash, blockNumber]))]
  if (hashes.length > mostBlocks) return false
  const blocks = await Promise.all(
    hashes.map(([, number]) => (number === last.number ? last : ctx.chains[wallet.chain_id].block(number))),
  )
  return blocks.every(({ hash }, i) => hash === hashes[i]![0])
}

export const readingOf = (logs: readonly Log[]): Reading => ({
  own: logs.filter(({ topics: { length } }) => length === 1),
  transfers: logs.filter(({ topics: { length } }) => length > 1),
  announced: [],
  dust: [],
})

/** Call once everything up to this block is in the books; without a block, if they could not be used. */
export function forgetReported(ctx: Context, walletId: string, toBlock: number | null): void {
  const later = minedLogs(ctx)
    .get(walletId)
    ?.filter(({ blockNumber }) => toBlock !== null && blockNumber > toBlock)
  if (later?.length) minedLogs(ctx).set(walletId, later)
  else minedLogs(ctx).delete(walletId)
}
