import { authorizationLogs } from '../chain/authorization.ts'
import { addressTopic, nonceTopic, topics } from '../chain/calls.ts'
import type { Log, LogFilter } from '../chain/types.ts'
import { nonceOf } from '../domain/intent.ts'
import type { Context } from './context.ts'
import type { PaymentRow, PayoutRow, WalletRow } from './store.ts'

/** What must be known of the chain before money goes back: asked of every node there is, about one payment or payout. */

/** As many blocks are looked through at least: one node alone said which was the newest when a payment was signed. */
const leastSearched = 4_000

/** Is there a nonce log of this payment in [first signature, toBlock]? Asked of the second node too where there is one. */
export async function nonceLogExists(
  ctx: Context,
  wallet: WalletRow,
  payment: PaymentRow,
  toBlock: number,
): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  const fromBlock = Math.min(payment.first_block!, Math.max(0, toBlock - leastSearched))
  const range = { fromBlock, toBlock }
  const filter: LogFilter =
    payment.authorization === null
      ? { address: wallet.address, topics: [nonceTopic(nonceOf(payment.epoch!, payment.sequence!))], ...range }
      : authorizationLogs(chain.contracts.usdc, wallet.address, range, {
          event: 'used',
          nonce: payment.authorization,
        })
  return anyLog(chain, filter)
}

/** Is the cancellation of this payment's authorization final? Every node must say so: it lets money go back. */
export async function cancellationExists(
  ctx: Context,
  wallet: WalletRow,
  payment: PaymentRow,
  toBlock: number,
): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  const range = { fromBlock: payment.first_block!, toBlock }
  const only = { event: 'canceled' as const, nonce: payment.authorization! }
  const filter = authorizationLogs(chain.contracts.usdc, wallet.address, range, only)
  const answers = [await chain.logs([filter], 'first')]
  if (chain.hasSecond) answers.push(await chain.logs([filter], 'second'))
  return answers.every(([logs]) => (logs?.length ?? 0) > 0)
}

/** Did the payout's money leave its address in [action's block, toBlock]? Anyone can make a Transfer of nothing. */
export async function payoutMoved(
  ctx: Context,
  wallet: WalletRow,
  payout: PayoutRow,
  toBlock: number,
): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  const filter: LogFilter = {
    address: chain.contracts.usdc,
    topics: [topics.transfer, addressTopic(payout.address)],
    fromBlock: payout.action_block!,
    toBlock,
  }
  return anyLog(chain, filter, (log) => BigInt(log.data) >= BigInt(payout.amount))
}

async function anyLog(
  chain: Context['chains'][8453],
  filter: LogFilter,
  counts: (log: Log) => boolean = () => true,
): Promise<boolean> {
  const answers = [await chain.logs([filter], 'first')]
  if (chain.hasSecond) answers.push(await chain.logs([filter], 'second'))
  return answers.some(([logs]) => logs?.some(counts))
}
