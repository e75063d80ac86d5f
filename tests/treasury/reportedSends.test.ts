/** When the Relayer's logs of a wallet's sends are booked in place of the node's, and when the node is asked. */
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { addressTopic, nonceTopic, topics } from '../../worker/chain/calls.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import { afterSend } from '../../worker/chain/sendWindow.ts'
import type { Address, Hex, Log, WalletState } from '../../worker/chain/types.ts'
import { minedLogs } from '../../worker/treasury/core/minedReports.ts'
import { scanWallet } from '../../worker/treasury/settlement/scan.ts'
import { usdc } from '../support/build.ts'
import { type LedgerNode, startLedgerNode } from '../support/ledgerNode.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'

const wallet: Address = `0x${'a'.repeat(40)}`
const shop: Address = `0x${'b'.repeat(40)}`
const stranger: Address = `0x${'e'.repeat(40)}`
const funds = usdc('100')
let running: LedgerNode | undefined

afterEach(async () => {
  await running?.stop()
  running = undefined
})

/** A wallet whose state the books have at block 1,001, and what happens to it at block 1,003. */
async function createReader({ purchaseAllowance = 0 } = {}) {
  const memory = createMemoryTreasury(funds, funds)
  const { context, store, clock } = memory
  const { contractSets, usdc: token } = context.chains[8453]
  const state = { epoch: 1, remaining: funds as bigint, top: 1n << 32n, seen: 0n, ownerNonce: 0n }
  const node = await startLedgerNode({
    usdc: token,
    now: () => clock.now,
    opening: { [wallet]: funds },
    state: () => ({
      ...{ sessionKey: addressOfKey, validUntil: 4_000_000_000, rotationDisabled: false, sessionRevoked: false },
      ...state,
      purchaseAllowance,
    }),
  })
  running = node
  context.chains[8453] = new RpcChain(8453, contractSets, [node.url])
  context.env.CONFIRM_DEPTH = '1'
  store.run('UPDATE wallet SET scanned_block = 1000, final_block = 1000')
  clock.now += 2_000
  await scanWallet(context, 'wal')
  clock.now += 4_000

  const transfer = (from: Address, to: Address, value: bigint) => node.add([{ block: 1003, from, to, value }])
  /** What the contract does with a send; `reported`: by the Relayer as well. */
  const send = (sequence: bigint, amount: bigint, { reported = true, blockHash = '' } = {}) => {
    transfer(wallet, shop, amount)
    const nonce = (1n << 32n) | sequence
    Object.assign(state, { remaining: state.remaining - amount, top: nonce, seen: (state.seen << 1n) | 1n })
    const place = {
      blockNumber: 1003,
      blockHash: (blockHash || node.hashAt(1003)) as Hex,
      transactionHash: '0x01' as Hex,
    }
    const logs: Log[] = [
      { ...place, address: wallet, topics: [nonceTopic(nonce)], data: '0x', logIndex: 0 },
      {
        ...{ ...place, address: token.toLowerCase() as Address, logIndex: 1 },
        topics: [topics.transfer, addressTopic(wallet), addressTopic(shop)],
        data: nonceTopic(amount),
      },
    ]
    if (reported) minedLogs(context).set('wal', logs)
  }
  /** Reads the wallet. Returns whether the node was asked for logs. */
  const scan = async () => {
    const before = node.calls.eth_getLogs ?? 0
    await scanWallet(context, 'wal')
    return (node.calls.eth_getLogs ?? 0) > before
  }
  const books = () => {
    const { deposits, returns, out, withdrawn, scanned_block } = store.wallet('wal')!
    return { deposits, returns, out, withdrawn, scanned_block }
  }
  return { ...memory, node, state, transfer, send, scan, books }
}
const addressOfKey: Address = `0x${'c'.repeat(40)}`
const [five, one] = [usdc('5'), usdc('1')]

describe('logs of the Relayer @reported-1', () => {
  test('of a send are booked without asking the node for logs, and so is that nothing happened', async () => {
    const { send, scan, books } = await createReader()
    send(1n, one)
    expect(await scan()).toBe(false)
    expect(books()).toMatchObject({ withdrawn: Number(one), scanned_block: 1003 })
  })

  test.each<[string, (reader: Awaited<ReturnType<typeof createReader>>) => void, Record<string, bigint>]>([
    ['a deposit beside the send', ({ transfer }) => transfer(stranger, wallet, five), { deposits: funds + five }],
    [
      'a deposit that cancels out with a send by a stolen session key',
      ({ transfer, send }) => {
        transfer(stranger, wallet, five)
        send(2n, five, { reported: false })
      },
      { deposits: funds + five, withdrawn: five + one },
    ],
    [
      'a deposit that cancels out with a withdrawal by the owner',
      ({ transfer, state }) => {
        transfer(stranger, wallet, five)
        transfer(wallet, stranger, five)
        state.ownerNonce += 1n
      },
      { deposits: funds + five, withdrawn: five + one },
    ],
    [
      'a new session',
      ({ state }) => void Object.assign(state, { epoch: 2, remaining: funds, top: 2n << 32n, seen: 0n }),
      { withdrawn: one },
    ],
  ])('are not enough beside what nobody has reported: %s', async (_, happens, expected) => {
    const reader = await createReader()
    reader.send(1n, one)
    happens(reader)
    expect(await reader.scan()).toBe(true)
    const booked = Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, Number(value)]))
    expect(reader.books()).toMatchObject({ ...booked, scanned_block: 1003 })
  })

  test.each<[string, (reader: Awaited<ReturnType<typeof createReader>>) => void]>([
    ['a send that is not reported', ({ send }) => send(1n, one, { reported: false })],
    ['a block that has left the chain', ({ send }) => send(1n, one, { blockHash: `0x${'1'.repeat(64)}` })],
    [
      'another amount',
      ({ send, context }) => {
        send(1n, one)
        minedLogs(context).get('wal')![1]!.data = nonceTopic(five)
      },
    ],
    [
      'a transfer of another token',
      ({ send, context }) => {
        send(1n, one)
        minedLogs(context).get('wal')![1]!.address = stranger
      },
    ],
    [
      'an open payout, which anyone with its link may claim',
      ({ send, store }) => {
        send(1n, one)
        store.insert('payment', paymentRow({ id: 'pay_1', kind: 'payout', to_type: 'email', status: 'PENDING' }))
        store.insert('payout', payoutRow({ id: 'pay_1', status: 'CREATED' }))
      },
    ],
    [
      'books that differ',
      ({ send, store }) => {
        send(1n, one)
        store.run('UPDATE wallet SET mismatch_since = 1')
      },
    ],
  ])('are not believed with %s: the node is asked, and the books are right', async (_, happens) => {
    const reader = await createReader()
    happens(reader)
    expect(await reader.scan()).toBe(true)
    expect(reader.books()).toMatchObject({ withdrawn: Number(one), scanned_block: 1003 })
  })

  test('are not enough while the session may purchase, which leaves no trace in the wallet', async () => {
    const { send, scan, books } = await createReader({ purchaseAllowance: 1 })
    send(1n, one)
    expect(await scan()).toBe(true)
    expect(books()).toMatchObject({ withdrawn: Number(one) })
  })
})

test('a send changes the state as the contract counts: each nonce once, at most 127 below the highest @reported-2', () => {
  const start: WalletState = {
    ...{ blockNumber: 1, timestamp: 1, sessionKey: addressOfKey, validUntil: 1, epoch: 3, rotationDisabled: false },
    ...{ sessionRevoked: false, remaining: 1_000n, top: 3n << 32n, seen: 0n, balance: 800n, ownerNonce: 0n },
    purchaseAllowance: 0,
  }
  const sends = fc.array(fc.record({ step: fc.integer({ min: -140, max: 140 }), amount: fc.bigInt(1n, 60n) }), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(sends, (list) => {
      let state = start
      // The oracle: the set of used sequences, and the sum.
      const used = new Set<number>()
      let [highest, spent] = [0, 0n]
      for (const { step, amount } of list) {
        const sequence = Math.max(0, highest + step)
        const isAllowed = !used.has(sequence) && highest - sequence <= 127 && spent + amount <= 800n && sequence > 0
        const after = sequence > 0 ? afterSend(state, amount, (3n << 32n) | BigInt(sequence)) : null
        expect(after !== null).toBe(isAllowed)
        if (after === null) continue
        state = after
        used.add(sequence)
        highest = Math.max(highest, sequence)
        spent += amount
        const seen = Array.from({ length: 128 }, (_, i) => (used.has(highest - i) ? 1n << BigInt(i) : 0n))
        expect(state).toEqual({
          ...start,
          ...{ remaining: 1_000n - spent, balance: 800n - spent, top: (3n << 32n) | BigInt(highest) },
          seen: seen.reduce((all, bit) => all | bit, 0n),
        })
      }
    }),
  )
  expect(afterSend(start, 1n, 2n << 32n), 'of another session').toBeNull()
})
