/** Deposits and withdrawals in the list of transactions: its rows add up to the balance. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatUsdc } from '#domain/money.ts'
import { dayMs } from '#domain/time.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import type { Address } from '../../worker/chain/types.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { findTransaction } from '../../worker/treasury/payments/queries.ts'
import { scanWallet } from '../../worker/treasury/settlement/scan.ts'
import { undoBookings } from '../../worker/treasury/settlement/undo.ts'
import { usdc } from '../support/build.ts'
import { type LedgerNode, startLedgerNode } from '../support/ledgerNode.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'

const wallet: Address = `0x${'a'.repeat(40)}`
const stranger: Address = `0x${'e'.repeat(40)}`
const payoutAddress: Address = `0x${'c'.repeat(40)}`
const funds = usdc('100')

let treasury: MemoryTreasury
let node: LedgerNode
beforeEach(async () => {
  treasury = createMemoryTreasury(funds, funds)
  const { context, store, clock } = treasury
  const { contractSets, usdc: token } = context.chains[8453]
  node = await startLedgerNode({ usdc: token, now: () => clock.now, opening: { [wallet]: funds } })
  context.chains[8453] = new RpcChain(8453, contractSets, [node.url])
  context.env.CONFIRM_DEPTH = '1'
  store.run('UPDATE wallet SET scanned_block = 1000, final_block = 1000')
})
afterEach(async () => {
  await node.stop()
  treasury.close()
})

/** Reads the chain ten blocks later. `transfers` are in the block after the current one. */
async function happens(...transfers: { from: Address; to: Address; value: bigint }[]) {
  const block = 1_000 + Math.floor((treasury.clock.now - startedAt) / 2_000) + 1
  node.add(transfers.map((transfer) => ({ block, ...transfer })))
  treasury.clock.now += 20_000
  while (!(await scanWallet(treasury.context, 'wal')));
}
let startedAt = 0
beforeEach(() => {
  startedAt = treasury.clock.now
})
const books = () => {
  const { deposits, returns, out, withdrawn } = treasury.store.wallet('wal')!
  return BigInt(deposits + returns - out - withdrawn) - funds
}
const listed = () => {
  const history = createMemoryHistory(treasury)
  const rows = history.follow()
  const transactions = history
    .all('SELECT body, change FROM transaction_view ORDER BY created_at, id')
    .map((row) => ({ ...JSON.parse(String(row.body)), change: Number(row.change) }))
  const [balance] = rows.balances(0, Number.MAX_SAFE_INTEGER)
  history.close()
  return { transactions, sum: BigInt(transactions.reduce((sum, { change }) => sum + change, 0)), balance }
}
const shown = () =>
  listed().transactions.map(({ category, origin, amountUsdc, fromAddress }) => [
    category,
    origin,
    amountUsdc,
    fromAddress,
  ])
/** A payout of the wallet that is funded and not claimed. */
function addPayout(amount: number) {
  const { store } = treasury
  store.insert('payment', paymentRow({ id: 'pay_1', kind: 'payout', amount, status: 'PENDING', confirmed_at: 1 }))
  const of = { id: 'pay_1', amount, address: payoutAddress, payer: wallet, wallet_id: 'wal', funded: 1 }
  store.insert('payout', payoutRow({ ...of, status: 'CREATED' }))
  recordChange(treasury.context, 'pay_1')
}

describe('movements', () => {
  test('deposits and withdrawals are rows; deposits below 0.01 USDC are one row a day without an address @screens-30', async () => {
    await happens({ from: stranger, to: wallet, value: 5_000_000n }, { from: stranger, to: wallet, value: 4_000n })
    await happens({ from: stranger, to: wallet, value: 3_000n }, { from: wallet, to: stranger, value: 2_000_000n })
    treasury.clock.now += dayMs
    await happens({ from: stranger, to: wallet, value: 1_000n })
    expect(shown()).toEqual(
      expect.arrayContaining([
        ['deposit', 'transfer', '5', stranger],
        ['deposit', 'small', '0.007', null],
        ['withdrawal', 'transfer', '2', null],
        ['deposit', 'small', '0.001', null],
      ]),
    )
    expect(listed().transactions).toHaveLength(4)
    expect(listed().sum).toBe(books())
    const [{ id }] = listed().transactions
    expect(findTransaction(treasury.context, id)).toMatchObject({ ok: true, value: { id, category: 'deposit' } })
    expect(listed().balance).toMatchObject({ walletId: 'wal', opening: '0', closing: formatUsdc(books()) })
  })

  test('a withdrawal that the owner signed in Bursar says so and adds no notice; the same one again is another’s @screens-31', async () => {
    const { store, context } = treasury
    store.run(
      `INSERT INTO wallet_action (id, wallet_id, kind, status, to_address, amount, created_at)
       VALUES ('act_1', 'wal', 'withdraw', 'sent', ?, 2000000, 1)`,
      stranger,
    )
    const withdrawal = { from: wallet, to: stranger, value: 2_000_000n }
    await happens(withdrawal)
    await happens(withdrawal)
    expect(shown().map(([category, origin]) => [category, origin])).toEqual([
      ['withdrawal', 'owner'],
      ['withdrawal', 'transfer'],
    ])
    const events = store.all<{ event: string }>(
      "SELECT event FROM audit WHERE event LIKE 'wallet.%withdr%' ORDER BY seq",
    )
    expect(events.map(({ event }) => event)).toEqual(['wallet.owner_withdrew', 'wallet.withdrawn'])
    expect(store.count('notice')).toBe(1)
    undoBookings(context, 'wal', {})
    expect([shown(), books()]).toEqual([[], 0n])
  })

  test('a returned payout is one row, and what a stranger added to its address is a deposit @screens-32', async () => {
    addPayout(3_000_000)
    const before = listed().sum
    await happens({ from: payoutAddress, to: wallet, value: 3_500_000n })
    expect(shown().map(([category, , amount]) => [category, amount])).toEqual(
      expect.arrayContaining([
        ['escrow_reclaim', '3'],
        ['deposit', '0.5'],
      ]),
    )
    expect(listed().sum - before).toBe(3_500_000n)
  })

  test('a row names the user’s own wallet that the money went to, and nobody else’s @screens-63', async () => {
    await happens({ from: stranger, to: wallet, value: 5_000_000n }, { from: wallet, to: stranger, value: 1_000_000n })
    const to = (id: string, to_address: Address) =>
      treasury.store.insert('payment', paymentRow({ id, to_address, status: 'CONFIRMED', confirmed_at: 1 }))
    to('pay_own', wallet)
    to('pay_other', stranger)
    for (const id of ['pay_own', 'pay_other']) recordChange(treasury.context, id)
    const own = { name: treasury.store.wallet('wal')!.name, address: wallet }
    const { transactions } = listed()
    const of = (match: object) =>
      transactions.find((row) => Object.entries(match).every(([key, value]) => row[key] === value))
    expect(of({ category: 'deposit', origin: 'transfer' })).toMatchObject({ toAddress: wallet, toWallet: own })
    expect(of({ category: 'withdrawal' })).toMatchObject({ toAddress: stranger, toWallet: null })
    expect(of({ id: 'pay_own' })!.toWallet).toEqual(own)
    expect(of({ id: 'pay_other' })!.toWallet).toBeNull()
  })

  test('the balance when a wallet is added is its first deposit', async () => {
    treasury.store.run(
      `INSERT INTO wallet (id, chain_id, kind, address, owner, status, factory, salt, session_key, sealed_key, session_limit,
         valid_until, deposits, scanned_block, created_at, start_balance)
       VALUES ('wal_2', 8453, 'imported', '0x9', '0x9', 'active', '0x3', '0x', '0x4', '', 0, 0, 70, 1, 5, 70)`,
    )
    expect(shown()).toEqual([['deposit', 'start', '0.00007', null]])
  })

  test('for any wallet and period, opening balance and rows add up to the closing balance, and all rows to the books @screens-33', async () => {
    const transfer = fc.record({
      isIn: fc.boolean(),
      value: fc.oneof(fc.bigInt(1n, 9_999n), fc.bigInt(10_000n, 5_000_000n)),
    })
    const step = fc.record({
      transfers: fc.array(transfer, { maxLength: 3 }),
      later: fc.nat(2 * dayMs),
      isUndone: fc.boolean(),
    })
    const steps = fc.sample(fc.array(step, { minLength: 12, maxLength: 12 }), { numRuns: 1, seed: 7 })[0]!
    for (const { transfers, later, isUndone } of steps) {
      treasury.clock.now += Math.floor(later / 2_000) * 2_000
      await happens(
        ...transfers.map(({ isIn, value }) =>
          isIn ? { from: stranger, to: wallet, value } : { from: wallet, to: stranger, value },
        ),
      )
      if (isUndone) undoBookings(treasury.context, 'wal', {})
      expect(listed().sum).toBe(books())
    }
    const history = createMemoryHistory(treasury)
    const rows = history.follow()
    const all = history.all('SELECT created_at AS at, change FROM transaction_view')
    const times = fc.integer({ min: startedAt - dayMs, max: treasury.clock.now + 31 * dayMs })
    fc.assert(
      fc.property(times, times, (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)]
        const [balance] = rows.balances(from, to)
        const within = all.filter(({ at }) => Number(at) >= from && Number(at) < to)
        const sum = within.reduce((sum, { change }) => sum + Number(change), 0)
        const [opening, closing] = [Number(balance!.opening), Number(balance!.closing)]
        expect(Math.round((closing - opening) * 1e6)).toBe(sum)
        expect(Math.round(Number(rows.balances(0, to)[0]!.closing) * 1e6)).toBe(
          all.filter(({ at }) => Number(at) < to).reduce((sum, { change }) => sum + Number(change), 0),
        )
        // The 30 days up to this time. Rows that are later count as today's, older ones not at all.
        const days = new Map<number, number>()
        for (const { at, change } of all) {
          const daysAgo = Math.max(0, Math.floor(to / dayMs) - Math.floor(Number(at) / dayMs))
          if (daysAgo < 30) days.set(daysAgo, (days.get(daysAgo) ?? 0) + Number(change))
        }
        const changes = rows.figures('base', to).balanceChanges
        const byDay = new Map<number, number>()
        for (const { daysAgo, change } of changes) byDay.set(daysAgo, (byDay.get(daysAgo) ?? 0) + change)
        expect(byDay).toEqual(days)
      }),
      { numRuns: 60 },
    )
    history.close()
  })
})
