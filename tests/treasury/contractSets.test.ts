/** Wallets and payouts of several contract sets in one Treasury. */

import { expect, test } from 'vitest'
import { topics } from '../../worker/chain/calls.ts'
import { allContracts, contractNames } from '../../worker/chain/contractSets.ts'
import type { Address, Block, Chain, ContractSets, Contracts, LogFilter } from '../../worker/chain/types.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import { knownSets, setOfNewPayout } from '../../worker/treasury/core/contracts.ts'
import type { PayoutRow } from '../../worker/treasury/core/storage/rows.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import { claim, reclaim } from '../../worker/treasury/payments/payouts/actions.ts'
import { termsView } from '../../worker/treasury/payments/payouts/views.ts'
import { signQueued } from '../../worker/treasury/payments/sign.ts'
import { scanWallet } from '../../worker/treasury/settlement/scan.ts'
import { dueJobs } from '../../worker/treasury/wallets/relay/submitJobs.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { addressOf, gatheredFor, payInput, usdc } from '../support/build.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'

/** Configures these contract sets. Each has its own contracts, except for the token, which they share. */
function showSets({ context }: MemoryTreasury, newest: number, versions: number[]): Record<number, Contracts> {
  const { usdc } = context.chains[8453]
  const made = (version: number) =>
    Object.fromEntries(contractNames.map((name, i) => [name, addressOf(version * 100 + i)])) as Contracts
  const sets = Object.fromEntries(versions.map((version) => [version, { ...made(version), usdc }]))
  ;(context.chains[8453] as { contractSets: ContractSets }).contractSets = { newest, sets }
  return sets
}

const head: Block = { number: 9, timestamp: 1, hash: '0x' }
const pay = ({ context }: MemoryTreasury, address: Address) => {
  const input = payInput({ to: { type: 'address', address } })
  return accept(context, input, gatheredFor(input, { lookup: null }))
}

/** Inserts an open payout of the active wallet. */
function insertPayout(
  { store }: MemoryTreasury,
  id: string,
  set: number,
  status: PayoutRow['status'] = 'CREATED',
): void {
  const own = addressOf(5_000 + Number(id.at(-1)))
  store.insert('payment', paymentRow({ id, kind: 'payout', to_type: 'email', amount: 1, status: 'PENDING' }))
  store.insert(
    'payout',
    payoutRow({
      id,
      address: own,
      claim_key: own,
      reclaim_key: own,
      payer: own,
      amount: 1,
      expiry: 1,
      expires_at: 1,
      status,
      funded: 1,
      contract_set: set,
      action: 'reclaim',
      action_deadline: 9,
      action_r: `0x${'0'.repeat(64)}`,
      action_vs: `0x${'0'.repeat(64)}`,
    }),
  )
}

test('no payment or claim goes to a contract of any set, even if that address was paid before @sets-4', async () => {
  const memory = createMemoryTreasury(usdc('100'), usdc('100'))
  const { context, store } = memory
  showSets(memory, 2, [1, 2])
  insertPayout(memory, 'pay_1', 1)
  ;(context.chains[8453] as Partial<Chain>).isBlacklisted = async () => false
  heads(context).set(8453, { block: { number: 1, timestamp: 0, hash: '0x' }, readAt: context.now() })
  const contracts = allContracts(context.chains[8453])
  expect(contracts).toHaveLength(12)
  for (const to of contracts) {
    store.run('INSERT OR IGNORE INTO known_recipient (address) VALUES (?)', `8453:${to}`)
    expect(pay(memory, to), to).toMatchObject({ ok: false, message: expect.stringContaining('cannot receive') })
    const claimed = await claim(context, { payoutId: 'pay_1', to, codeVersion: 1 })
    expect(claimed, to).toMatchObject({ ok: false, message: expect.stringContaining('cannot receive') })
  }
})

test('a payout of a smart wallet uses the wallet’s contract set, one of an imported wallet the newest @sets-5', () => {
  const memory = createMemoryTreasury(usdc('100'), usdc('100'))
  const { context, store } = memory
  const sets = showSets(memory, 2, [1, 2])
  expect(setOfNewPayout(context, store.wallet('wal')!)).toBe(1)
  store.run("UPDATE wallet SET kind = 'imported'")
  expect(setOfNewPayout(context, store.wallet('wal')!)).toBe(2)

  insertPayout(memory, 'pay_1', 1)
  insertPayout(memory, 'pay_2', 2, 'RECLAIMING')
  insertPayout(memory, 'pay_3', 1, 'RECLAIMING')
  store.run("UPDATE payout SET status = 'CREATING' WHERE id = 'pay_1'")
  expect(dueJobs(context).map(({ job }) => [job.id.split(':')[0], job.kind, job.target, job.contractSet])).toEqual([
    ['pay_1', 'announce', sets[1]!.escrow, 1],
    ['pay_2', 'reclaim', sets[2]!.escrow, 2],
    ['pay_3', 'reclaim', sets[1]!.escrow, 1],
  ])
  expect(termsView(context, store.payout('pay_2')!)).toMatchObject({ contractSet: 2, escrow: sets[2]!.escrow })
})

test('nothing is signed or sent for a contract set missing from the settings, and the refusal names the set @sets-6', async () => {
  const memory = createMemoryTreasury(usdc('100'), usdc('100'))
  const { context, store, dump } = memory
  showSets(memory, 2, [2])
  insertPayout(memory, 'pay_1', 1)
  insertPayout(memory, 'pay_2', 1, 'RECLAIMING')
  insertPayout(memory, 'pay_3', 2, 'RECLAIMING')
  expect(knownSets(context, 8453)).toEqual([2])
  const before = dump()
  const refused = { ok: false, code: 'unavailable', message: expect.stringContaining('contract set 1') }
  expect(pay(memory, addressOf(1))).toMatchObject(refused)
  expect(await claim(context, { payoutId: 'pay_1', to: addressOf(1), codeVersion: 1 })).toMatchObject(refused)
  expect(await reclaim(context, 'pay_1', 'sender')).toMatchObject(refused)
  // Payouts of a known set are still processed.
  expect(dueJobs(context).map(({ job }) => job.contractSet)).toEqual([2])
  expect(termsView(context, store.payout('pay_1')!)).not.toHaveProperty('escrow')
  expect(dump()).toBe(before)

  // A payment that was accepted earlier and is not signed yet.
  store.insert(
    'payment',
    paymentRow({ id: 'pay_q', to_address: addressOf(1), amount: 1, status: 'QUEUED', give_up_at: 9e15, epoch: 1 }),
  )
  openKeys(context).set('wal:1', `0x${'11'.repeat(32)}`)
  const sign = () => store.transaction(() => signQueued(context, store.wallet('wal')!, head))
  expect(sign()).toBe(0)
  showSets(memory, 2, [1, 2])
  expect(sign()).toBe(1)
})

test('announcements are read from the escrow of each payout’s set, and an unknown set stops the scan @sets-11', async () => {
  const memory = createMemoryTreasury(usdc('100'), usdc('100'))
  const { context, store, dump } = memory
  const sets = showSets(memory, 2, [1, 2])
  insertPayout(memory, 'pay_1', 1, 'CREATING')
  insertPayout(memory, 'pay_2', 2, 'CREATING')
  for (const id of ['pay_1', 'pay_2']) store.run('UPDATE payout SET payout_hash = ? WHERE id = ?', `0x${id}`, id)
  const requested: LogFilter[] = []
  const logs: Chain['logs'] = async (filters) => {
    requested.push(...filters)
    return filters.map(() => [])
  }
  const balance = { walletState: async () => null, usdcBalance: async () => usdc('100') }
  const chain: Partial<Chain> = { logs, block: async () => head, ...balance }
  Object.assign(context.chains[8453], chain)
  Object.assign(context.env, { CONFIRM_DEPTH: '1' })
  expect(await scanWallet(context, 'wal', head)).toBe(true)
  const announced = requested.filter((filter) => filter.topics?.[0] === topics.payoutAnnounced)
  expect(announced.map(({ address, topics }) => [address, topics![1]])).toEqual([
    [sets[1]!.escrow, ['0xpay_1']],
    [sets[2]!.escrow, ['0xpay_2']],
  ])

  showSets(memory, 2, [2])
  const before = dump()
  const later = scanWallet(context, 'wal', { ...head, number: 10 })
  await expect(later).rejects.toThrow('contract set 1 is not in CONTRACTS_8453')
  expect(dump()).toBe(before)
})
