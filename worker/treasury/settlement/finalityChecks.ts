import { nonceOf } from '#domain/intent.ts'
import { authorizationLogs } from '../../chain/authorization.ts'
import { addressTopic, nonceTopic, topics } from '../../chain/calls.ts'
import { type RangelessFilter, readLogs } from '../../chain/readLogs.ts'
import type { Chain, Log } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../storage/rows.ts'

/** Checks of one payment or payout on chain before money is released, made with every configured node. */

/** Minimum number of blocks to search, because only one node reported the newest block when something was signed. */
const minSearched = 4_000

const searchFrom = (signedAtBlock: number, toBlock: number) =>
  Math.min(signedAtBlock, Math.max(0, toBlock - minSearched))

/** The nonce log of this payment up to `toBlock`; null if there is none. One node that has it is enough. */
export async function findNonceLog(
  ctx: Context,
  wallet: WalletRow,
  payment: PaymentRow,
  toBlock: number,
): Promise<Log | null> {
  const chain = ctx.chains[wallet.chain_id]
  const filter: RangelessFilter =
    payment.authorization === null
      ? { address: wallet.address, topics: [nonceTopic(nonceOf(payment.epoch!, payment.sequence!))] }
      : authorizationLogs(chain.usdc, wallet.address, { event: 'used', nonce: payment.authorization })
  const fromBlock = searchFrom(payment.first_block!, toBlock)
  return (await readEveryNode(chain, filter, fromBlock, toBlock)).flat()[0] ?? null
}

/** True if this payment's authorization was cancelled up to `toBlock`. Every node must have the log: it releases money. */
export async function cancellationExists(
  ctx: Context,
  wallet: WalletRow,
  payment: PaymentRow,
  toBlock: number,
): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  const only = { event: 'canceled' as const, nonce: payment.authorization! }
  const filter = authorizationLogs(chain.usdc, wallet.address, only)
  const found = await readEveryNode(chain, filter, searchFrom(payment.first_block!, toBlock), toBlock)
  return found.every((logs) => logs.length > 0)
}

/** The transfer that emptied the payout up to `toBlock`; null if there is none. Anyone can make a zero-value transfer. */
export async function findPayoutEnd(
  ctx: Context,
  wallet: WalletRow,
  payout: PayoutRow,
  toBlock: number,
): Promise<Log | null> {
  const chain = ctx.chains[wallet.chain_id]
  const filter = { address: chain.usdc, topics: [topics.transfer, addressTopic(payout.address)] }
  const found = await readEveryNode(chain, filter, searchFrom(payout.action_block!, toBlock), toBlock)
  return found.flat().find((log) => BigInt(log.data) >= BigInt(payout.amount)) ?? null
}

/** The logs that each configured node returns. */
async function readEveryNode(
  chain: Chain,
  filter: RangelessFilter,
  fromBlock: number,
  toBlock: number,
): Promise<Log[][]> {
  const range = { fromBlock, toBlock }
  const [first = []] = await readLogs(chain, [filter], range, 'first')
  if (!chain.hasSecond) return [first]
  const [second = []] = await readLogs(chain, [filter], range, 'second')
  return [first, second]
}
