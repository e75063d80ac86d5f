/** A Treasury that was put back by a month, tested with its real tables and an in-memory node. */
import { expect, test } from 'vitest'
import type { MicroUsdc } from '#domain/money.ts'
import { payoutAddress } from '../../worker/chain/addresses.ts'
import { addressTopic, nonceTopic, topics } from '../../worker/chain/calls.ts'
import { newestContracts } from '../../worker/chain/contractSets.ts'
import { matchesFilter } from '../../worker/chain/readLogs.ts'
import { type Address, type Block, type Chain, type Hex, type Log, RpcError } from '../../worker/chain/types.ts'
import { nonceOf } from '../../worker/domain/intent.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import { reserve } from '../../worker/treasury/ledger/ledger.ts'
import { readChain } from '../../worker/treasury/restore/chain.ts'
import { newState, type RestoreState, restoreState, writeState } from '../../worker/treasury/restore/state.ts'
import { usdc } from '../support/build.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow } from '../support/rows.ts'

const funds = usdc('100')
const month = 1_296_000 // blocks of 2 seconds
/** The widest block range for which this node returns logs. */
const widest = 1_000
const recipient = (n: number): Address => `0x${String(n).repeat(40)}`
const word = (value: bigint | number | Address): string => BigInt(value).toString(16).padStart(64, '0')

/** The logs of a send by the wallet's session. */
function sendLogs({ chains, store }: Context, block: number, sequence: number, to: Address, amount: bigint): Log[] {
  const { address: wallet } = store.wallet('wal')!
  const at = { blockNumber: block, blockHash: `0x${word(block)}` as Hex, transactionHash: `0x${word(sequence)}` as Hex }
  return [
    { ...at, address: wallet, topics: [nonceTopic(nonceOf(1, sequence))], data: '0x', logIndex: 0 },
    {
      ...at,
      address: chains[8453].usdc,
      topics: [topics.transfer, addressTopic(wallet), addressTopic(to)],
      data: `0x${word(amount)}`,
      logIndex: 1,
    },
  ]
}

/** Returns counters of the log requests that the node answered and refused. */
function nodeWith(context: Context, logs: Log[]) {
  const blockAt = (number: number): Block => ({ number, timestamp: number * 2, hash: `0x${word(number)}` })
  const left = (upTo: number) =>
    logs.filter((log) => log.topics[0] === topics.transfer && log.blockNumber <= upTo).map(({ data }) => BigInt(data))
  const requests = { answered: 0, refused: 0 }
  const { chainId, contractSets, usdc } = context.chains[8453]
  const node: Partial<Chain> = {
    ...{ chainId, contractSets, usdc, hasSecond: false },
    head: async () => blockAt(month + 100),
    finalized: async () => blockAt(month),
    block: async (number) => blockAt(number),
    walletState: async () => null,
    usdcBalance: async (_, atBlock = month + 100) =>
      left(atBlock).reduce((sum, amount) => sum - amount, funds as bigint),
    async logs(filters) {
      if (filters.some(({ fromBlock, toBlock }) => toBlock - fromBlock >= widest)) {
        requests.refused += 1
        throw new RpcError(-32602, 'block range is too wide')
      }
      requests.answered += 1
      return filters.map((filter) =>
        logs.filter(
          (log) =>
            log.blockNumber >= filter.fromBlock && log.blockNumber <= filter.toBlock && matchesFilter(log, filter),
        ),
      )
    },
  }
  context.chains[8453] = node as Chain
  return requests
}

function insertUnsigned({ store }: Context, id: string, to: Address, amount: MicroUsdc): void {
  reserve(store, { walletId: 'wal', epoch: 1, group: null, agentId: null, amount, isPayout: false }, 0, 0)
  store.insert('payment', paymentRow({ id, to_address: to, amount: Number(amount), status: 'QUEUED', epoch: 1 }))
}

test('a month of logs is read in ranges that the node allows, over many short steps @restore-32', async () => {
  const { context, store } = createMemoryTreasury(funds, funds)
  context.env.CONFIRM_DEPTH = '3'
  const { escrow } = newestContracts(context.chains[8453])
  const wallet = store.wallet('wal')!
  const terms = {
    payer: wallet.address,
    claimKey: recipient(7),
    reclaimKey: recipient(8),
    amount: usdc('4') as bigint,
    expiry: 1_900_000_000,
  }
  const payout = payoutAddress(newestContracts(context.chains[8453]), terms)
  insertUnsigned(context, 'pay_early', recipient(1), usdc('1'))
  insertUnsigned(context, 'pay_late', recipient(2), usdc('2'))
  insertUnsigned(context, 'pay_never', recipient(3), usdc('3'))
  const at = { blockHash: `0x${word(700_001)}` as Hex, transactionHash: `0x${word(99)}` as Hex, logIndex: 0 }
  const requests = nodeWith(context, [
    ...sendLogs(context, 40_000, 1, recipient(1), usdc('1')),
    // Its announcement is in a later step than its transfer.
    ...sendLogs(context, 690_000, 2, payout, usdc('4')),
    {
      ...at,
      blockNumber: 700_001,
      address: escrow,
      topics: [topics.payoutAnnounced, `0x${word(1)}`, addressTopic(wallet.address)],
      data: `0x${[terms.claimKey, terms.reclaimKey, terms.amount, terms.expiry].map(word).join('')}`,
    },
    ...sendLogs(context, 800_000, 3, recipient(4), usdc('5')),
    // A second transfer in the same transaction.
    ...sendLogs(context, 800_000, 5, recipient(5), usdc('6')).map((log) => ({
      ...log,
      transactionHash: `0x${word(3)}` as Hex,
      logIndex: log.logIndex + 2,
    })),
    ...sendLogs(context, month - 1, 4, recipient(2), usdc('2')),
  ])
  writeState(store, { ...newState('rst_ranges', 'chain', context.now()), until: { 8453: 1 } })

  let most = 0
  for (let steps = 0; restoreState(store)!.stage === 'chain'; steps++) {
    const before = requests.answered
    await readChain(context, restoreState(store)!)
    most = Math.max(most, requests.answered - before)
    expect(steps).toBeLessThan(100)
  }
  expect(requests.refused).toBeGreaterThan(0)
  expect(most, 'requests of one step').toBeLessThan(400)
  const { unexplained, counts } = restoreState(store) as RestoreState
  expect(unexplained.map(({ what, detail }) => [what, detail.split(' ').slice(0, 4).join(' ')])).toEqual([
    ['payout', `4 USDC to ${payout.toLowerCase()},`],
    ['transfer', `5 USDC to ${recipient(4)},`],
    ['transfer', `6 USDC to ${recipient(5)},`],
  ])
  expect(unexplained[0]!.detail).toContain(new Date(terms.expiry * 1000).toISOString())
  expect(counts).toEqual({ 'payments found on chain': 2, 'wallets read': 1 })
  expect(store.all('SELECT id, status, sequence FROM payment ORDER BY id')).toEqual([
    { id: 'pay_early', status: 'CONFIRMED', sequence: 1 },
    { id: 'pay_late', status: 'CONFIRMED', sequence: 4 },
    { id: 'pay_never', status: 'FAILED', sequence: null },
  ])
})
