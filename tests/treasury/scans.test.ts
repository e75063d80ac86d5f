/** Readings of a wallet to which a stranger has sent very many transfers. */

import { afterEach, describe, expect, test } from 'vitest'
import { readLogs } from '../../worker/chain/readLogs.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import { type Address, type Log, RpcError, RpcUnavailable } from '../../worker/chain/types.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import { endFinal } from '../../worker/treasury/settlement/finality.ts'
import { paces, rescanFrom, scanWallet } from '../../worker/treasury/settlement/scan.ts'
import { addressOf, usdc } from '../support/build.ts'
import { type LedgerNode, type LedgerTransfer, type NodeLimits, startLedgerNode } from '../support/ledgerNode.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'

const wallet: Address = `0x${'a'.repeat(40)}`
const stranger: Address = `0x${'e'.repeat(40)}`
const funds = usdc('100')
let running: LedgerNode | undefined

afterEach(async () => {
  await running?.stop()
  running = undefined
})

/** A Treasury whose wallet was last read at block 1,000, and its node. */
async function createReader(limits: NodeLimits = {}) {
  const memory = createMemoryTreasury(funds, funds)
  const { context, store, clock } = memory
  const { contractSets, usdc: token } = context.chains[8453]
  const node = await startLedgerNode({ usdc: token, now: () => clock.now, opening: { [wallet]: funds } })
  Object.assign(node.limits, limits)
  running = node
  context.chains[8453] = new RpcChain(8453, contractSets, [node.url])
  context.env.CONFIRM_DEPTH = '1'
  store.run('UPDATE wallet SET scanned_block = 1000, final_block = 1000')
  /** Lets the chain grow by so many blocks. */
  const pass = (blocks: number) => {
    clock.now += blocks * 2_000
  }
  const scan = () => scanWallet(context, 'wal')
  /** Returns the number of scans. */
  const catchUp = async () => {
    let scans = 1
    while (!(await scan())) scans += 1
    return scans
  }
  const books = () => {
    const { deposits, returns, out, withdrawn } = store.wallet('wal')!
    return BigInt(deposits + returns - out - withdrawn)
  }
  const audited = () =>
    store
      .all<{ data: string }>("SELECT data FROM audit WHERE event = 'wallet.deposited' ORDER BY seq")
      .map(({ data }) => JSON.parse(data) as { amount: string; transfers?: number; block?: number })
  const rows = (table: string) => store.count(table)
  return { ...memory, node, pass, scan, catchUp, books, audited, rows }
}

const deposits = (block: number, count: number, value = 1n): LedgerTransfer[] =>
  Array.from({ length: count }, () => ({ block, from: stranger, to: wallet, value }))
const eachBlock = (from: number, count: number, make: (block: number) => LedgerTransfer[]) =>
  Array.from({ length: count }, (_, i) => make(from + i)).flat()

describe('very many transfers', () => {
  test('readLogs returns 150,000 logs of one range', async () => {
    const log = { topics: ['0x'], data: '0x' } as unknown as Log
    const logs = async () => [Array<Log>(150_000).fill(log)]
    const [found] = await readLogs({ logs, blockLogs: async () => {} }, [{ address: wallet }], {
      fromBlock: 1,
      toBlock: 9,
    })
    expect(found).toHaveLength(150_000)
  })

  test('12,000 transfers of one day are booked by several scans, one row for each block @scans-1', async () => {
    const { node, pass, catchUp, books, audited, rows } = await createReader()
    pass(43_200)
    node.add(eachBlock(2_000, 4, (block) => deposits(block, 3_000)))
    expect(await catchUp()).toBeGreaterThan(1)
    expect(books()).toBe(node.balanceOf(wallet))
    expect(audited()).toEqual(
      Array.from({ length: 4 }, (_, i) => ({ amount: '0.003', transfers: 3_000, block: 2_000 + i })),
    )
    expect([rows('booked_log'), rows('booking')]).toEqual([4, 4])
    expect(node.calls.eth_getLogs).toBeLessThan(200)
  })

  test('transfers of nothing are not kept, whoever they are said to be from @scans-2', async () => {
    const { node, pass, scan, books, rows } = await createReader()
    pass(100)
    node.add([...deposits(1_010, 500, 0n), ...Array(500).fill({ block: 1_011, from: wallet, to: stranger, value: 0n })])
    expect(await scan()).toBe(true)
    expect(books()).toBe(funds)
    expect([rows('booked_log'), rows('booking'), rows('audit')]).toEqual([0, 0, 0])
  })
})

describe('a node that refuses @scans-3', () => {
  test.each([
    ['logs above 4,000', { logs: 4_000 }],
    ['ranges above 1,000 blocks', { blocks: 1_000, code: -32005, message: 'eth_getLogs is limited to a 1,000 range' }],
  ] satisfies [string, NodeLimits][])('%s is asked for less', async (_, limits) => {
    const { node, pass, catchUp, books } = await createReader(limits)
    pass(43_200)
    node.add(eachBlock(30_000, 6, (block) => deposits(block, 1_000)))
    await catchUp()
    expect(books()).toBe(node.balanceOf(wallet))
    // Three filters each. The narrowest limit needs 64 ranges.
    expect(node.calls.eth_getLogs).toBeLessThan(400)
  })

  test('a reading that fails without a response is repeated with half as many blocks, and later with more again', async () => {
    const { node, pass, scan, catchUp, context, books } = await createReader({ silentAbove: 400_000 })
    pass(43_200)
    node.add(eachBlock(2_000, 20, (block) => deposits(block, 200)))
    const failures: unknown[] = []
    while ((await scan().catch((error: unknown) => failures.push(error))) !== true)
      expect(failures.length).toBeLessThan(30)
    expect(failures.length).toBeGreaterThan(1)
    for (const error of failures) expect(error).toBeInstanceOf(RpcUnavailable)
    expect(books()).toBe(node.balanceOf(wallet))
    pass(43_200)
    await catchUp()
    expect(paces(context).get('wal')!.blocks).toBeGreaterThan(10_000)
  })

  test('more than 1 MB of logs is refused, and a single block is read through its receipts as they arrive', async () => {
    const { node, pass, context, scan, books } = await createReader()
    pass(100)
    node.add(deposits(1_010, 8_000))
    const chain = context.chains[8453]
    const filter = { address: chain.usdc, fromBlock: 1_010, toBlock: 1_010 }
    await expect(chain.logs([filter])).rejects.toThrow(RpcError)
    // Another call in the same request is answered.
    const [logs, head] = await Promise.allSettled([chain.logs([filter]), chain.head()])
    expect([logs.status, head.status]).toEqual(['rejected', 'fulfilled'])
    while (!(await scan()));
    expect(books()).toBe(node.balanceOf(wallet))
    expect(node.calls.eth_getBlockReceipts).toBe(1)
  })
})

describe('deposits below 0.01 USDC @scans-4', () => {
  test('are booked apart from larger ones of the same block', async () => {
    const { node, pass, scan, books, audited } = await createReader()
    pass(100)
    node.add([...deposits(1_010, 3, 9_999n), ...deposits(1_010, 2, 10_000n), ...deposits(1_011, 1, 1n)])
    await scan()
    expect(books()).toBe(node.balanceOf(wallet))
    expect(audited().map(({ amount, transfers }) => [amount, transfers])).toEqual([
      ['0.01', undefined],
      ['0.01', undefined],
      ['0.029997', 3],
      ['0.000001', 1],
    ])
  })

  test('that a node omitted are booked once it returns them, and never twice', async () => {
    const { node, pass, scan, books, context, rows } = await createReader()
    pass(100)
    const sent = deposits(1_010, 5)
    node.add(sent)
    for (const some of [sent.slice(0, 2), sent.slice(1, 3), []]) {
      node.hidden.clear()
      for (const transfer of some) node.hidden.add(transfer)
      rescanFrom(context, 'wal', 1_010)
      heads(context).clear()
      // A node that omits logs shows the whole balance.
      await scan().catch(() => {})
    }
    expect(books()).toBe(node.balanceOf(wallet))
    expect(rows('booked_log')).toBe(1)
    rescanFrom(context, 'wal', 1_010)
    await scan()
    expect(books()).toBe(node.balanceOf(wallet))
  })

  test('that a reorganization removes are undone with the rest, and booked again from the new branch', async () => {
    const { node, pass, scan, books, clock, rows } = await createReader()
    pass(100)
    node.add([...deposits(1_010, 5), ...deposits(1_020, 7)])
    await scan()
    node.reorganize(1_015, 'other', () => false)
    node.add(deposits(1_021, 2))
    pass(1)
    await expect(scan()).rejects.toThrow(RpcUnavailable)
    clock.now += 31_000
    while (!(await scan()));
    expect(books()).toBe(node.balanceOf(wallet))
    expect(rows('booked_log')).toBe(2)
  })

  test('are final like others', async () => {
    const { node, pass, scan, context, store, rows } = await createReader()
    pass(100)
    node.add(eachBlock(1_010, 10, (block) => deposits(block, 3)))
    await scan()
    expect(rows('booking')).toBe(10)
    pass(1_000)
    await endFinal(context, store.wallet('wal')!)
    expect(rows('booking')).toBe(0)
  })

  test('of a payout that is returned count as its return', async () => {
    const { node, pass, scan, store } = await createReader()
    const payout = addressOf(0x77)
    store.insert(
      'payment',
      paymentRow({ id: 'pay_1', kind: 'payout', to_type: 'email', amount: 5_000, status: 'PENDING' }),
    )
    store.insert(
      'payout',
      payoutRow({ id: 'pay_1', address: payout, payer: wallet, amount: 5_000, funded: 1, announced: 1 }),
    )
    store.run('UPDATE wallet SET out = 5000, deposits = deposits + 5000')
    pass(100)
    node.add([{ block: 1_010, from: payout, to: wallet, value: 5_000n }, ...deposits(1_010, 2)])
    await scan()
    expect(store.payout('pay_1')!.status).toBe('RECLAIMED')
    expect(store.wallet('wal')).toMatchObject({ returns: 5_000, deposits: Number(funds) + 5_002 })
  })
})
