/** Reorganizations deeper than CONFIRM_DEPTH: once blocks are final the books equal the chain, and the wallet pays again. */

import { afterEach, beforeAll, expect, test } from 'vitest'
import { reclaimCall } from '../../worker/chain/calls.ts'
import type { Address, Chain } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { scanWallet } from '../../worker/treasury/settlement/scan.ts'
import { usdc } from '../support/build.ts'
import { historyRows, syncHistory } from '../support/histories.ts'
import { createImporter } from '../support/importer.ts'
import {
  becomes,
  changeNode,
  createPayout,
  look,
  mineUntil,
  pass,
  payAndConfirm,
  payoutIs,
  payoutOf,
} from '../support/manualClock.ts'
import { manualChain as chain, createPayer, fresh, prepare, until } from '../support/payer.ts'
import {
  blockAt,
  finalAt,
  later,
  lookAtFinality,
  relayerAhead,
  removeBlocks,
  reorganize,
  signedAfter,
  stopFinality,
  takeBranch,
} from '../support/reorganization.ts'
import { inTreasury, rowsOf } from '../support/treasuries.ts'

beforeAll(prepare)
afterEach(async () => {
  await chain.fault({ mode: 'none' })
  await relayerAhead(0)
})

/** A payer for whom no later block becomes final until `finalize` is called; `last` is the newest block. */
async function createUnfinal(over: Parameters<typeof createPayer>[0] = {}) {
  const payer = await createPayer({ on: chain, ...over })
  const { last, restore } = await stopFinality(payer)
  const finalize = async () => {
    await restore()
    await chain.mine(4)
    await look(payer)
    await lookAtFinality(payer)
    await look(payer)
  }
  /** Expects the Treasury's books to be final and equal to the chain, and the wallet to pay again. */
  const expectRecovery = async () => {
    await finalize()
    await payer.booksBalance()
    // A check gives up if an alarm reads the wallet meanwhile.
    await until('nothing can be undone any more', async () => {
      await lookAtFinality(payer)
      return (await rowsOf(payer, 'SELECT * FROM booking')).length === 0
    })
    expect(await rowsOf(payer, 'SELECT halt_kind FROM wallet')).toEqual([{ halt_kind: null }])
    await payAndConfirm(payer, { amount: usdc('1') })
    const { brokenAt } = await payer.treasury().reports().auditCheck()
    expect(brokenAt).toBeNull()
  }
  return { payer, last, finalize, expectRecovery }
}

test('a deposit that a deep reorganization removes or replaces is removed from the books @reorg-1', async () => {
  const { payer, last, expectRecovery } = await createUnfinal({ funds: '39' })
  await chain.mint(payer.wallet.address as Address, usdc('500'))
  await chain.mine(5)
  expect(await payer.ledger()).toMatchObject({ available: '539' })
  await reorganize(last)
  await takeBranch(payer)
  expect(await payer.ledger()).toMatchObject({ available: '39', deposits: '39' })

  await chain.mint(payer.wallet.address as Address, usdc('500'))
  await payer.ledger()
  await reorganize(last)
  await chain.mint(payer.wallet.address as Address, usdc('7'))
  await takeBranch(payer)
  expect(await payer.ledger()).toMatchObject({ available: '46', deposits: '46' })
  await expectRecovery()
})

test('a send whose block left the chain is held and delivered again under its nonce @reorg-2', async () => {
  const { payer, last, expectRecovery } = await createUnfinal()
  const to = fresh('shop')
  const { id } = await payAndConfirm(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
  const signed = await rowsOf<{ epoch: number; sequence: number }>(payer, 'SELECT epoch, sequence FROM payment')
  expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '5' })

  await removeBlocks(payer, last)
  expect(await payer.status(id)).toBe('PROCESSING')
  expect(await payer.ledger()).toMatchObject({ held: '5', out: '0' })
  expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })

  await becomes(payer, id, 'CONFIRMED')
  expect(await rowsOf(payer, 'SELECT epoch, sequence FROM payment')).toEqual(signed)
  expect(await chain.usdcBalance(to)).toBe(usdc('5'))
  expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '5' })
  await expectRecovery()
  expect(await chain.usdcBalance(to), 'once').toBe(usdc('5'))
})

test('a send that moves to another block is booked there once @reorg-3', async () => {
  const { payer, last, expectRecovery } = await createUnfinal()
  const to = fresh('shop')
  const { id } = await payAndConfirm(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
  await chain.mine(2)
  const raws = await signedAfter(last)
  await reorganize(last)
  for (const raw of raws) await chain.node('eth_sendRawTransaction', raw)
  await takeBranch(payer)
  expect(await payer.status(id)).toBe('CONFIRMED')
  const [paid] = await rowsOf<{ block: number }>(payer, "SELECT block FROM booking WHERE kind = 'paid'")
  expect(paid!.block).toBeGreaterThan(last + 2)
  expect(await payer.ledger()).toMatchObject({ held: '0', out: '5', withdrawn: '0' })
  await expectRecovery()
  expect(await chain.usdcBalance(to)).toBe(usdc('5'))
})

test('a send that never returns to the chain is released, but only at a finalized block @reorg-4', async () => {
  const { payer, last, finalize, expectRecovery } = await createUnfinal()
  const { id } = await payAndConfirm(payer, { amount: usdc('5') })
  await reorganize(last)
  await chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
  await takeBranch(payer)
  await later(payer, 16 * 60)
  await pass(16 * 60)
  await look(payer)
  expect(await payer.status(id)).toBe('PROCESSING')
  expect(await payer.groupNow()).toMatchObject({ held: '5' })
  await finalize()
  expect(await payer.status(id)).toBe('FAILED')
  expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '0' })
  await chain.fault({ mode: 'none' })
  await expectRecovery()
})

test('funding, announcement and claim of a payout are undone and repeated once @reorg-5', async () => {
  const { payer, last, expectRecovery } = await createUnfinal()
  const to = fresh('claimer')
  const { id } = await createPayout(payer)
  expect(await payer.treasury().claim({ payoutId: id, codeVersion: 1, to })).toMatchObject({ ok: true })
  await payoutIs(payer, id, 'WITHDRAWN')
  expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '5' })

  await removeBlocks(payer, last)
  expect(await payoutOf(payer, id)).toMatchObject({ status: 'CLAIMING', funded: 0, announced: 0, done_tx: null })
  expect(await payer.status(id)).toBe('PROCESSING')
  expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })
  expect(await payer.ledger()).toMatchObject({ held: '5', escrowed: '0', spent: '0' })

  await payoutIs(payer, id, 'WITHDRAWN')
  await expectRecovery()
  expect(await chain.usdcBalance(to)).toBe(usdc('5'))
  expect(await payer.ledger()).toMatchObject({ escrowed: '0', returns: '0' })
})

test('a reclaim returns its amount to the budget only once it is final @reorg-6', async () => {
  const { payer, finalize, expectRecovery } = await createUnfinal({ limit: '5' })
  const { id } = await createPayout(payer)
  const { number: created } = await blockAt('latest')
  const reclaimed = async () => {
    expect(await payer.treasury().reclaim(id)).toMatchObject({ ok: true })
    await payoutIs(payer, id, 'RECLAIMED')
  }
  const pay = () => payer.pay({ amount: usdc('1') })
  await reclaimed()
  expect(await payer.ledger()).toMatchObject({ returns: '5', held: '0' })
  expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })
  expect(await pay(), 'the return may be undone').toMatchObject({ ok: false })
  const listed = async () => {
    await syncHistory(payer)
    return historyRows(payer, 'SELECT id FROM transaction_view WHERE id = ?', `${id}:reclaim`)
  }
  expect(await listed()).toHaveLength(1)

  await removeBlocks(payer, created)
  expect(await payoutOf(payer, id)).toMatchObject({ status: 'RECLAIMING', done_tx: null, returned_block: null })
  expect(await payer.ledger()).toMatchObject({ returns: '0', escrowed: '5' })
  expect(await listed()).toHaveLength(0)
  await payoutIs(payer, id, 'RECLAIMED')
  expect(await payer.groupNow()).toMatchObject({ held: '5' })
  await finalize()
  expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '0' })
  expect(await listed()).toHaveLength(1)
  await expectRecovery()
})

test('a rotation whose block left the chain is pending again, and its session is not used meanwhile @reorg-7', async () => {
  const { payer, last, expectRecovery } = await createUnfinal()
  const walletId = payer.wallet.id
  const before = await rowsOf<{ epoch: number }>(payer, 'SELECT epoch FROM session WHERE current = 1')
  const rotated = await payer.wallets().rotateSessionKey({ key: null, walletId, limit: usdc('70'), hours: 24 })
  expect(rotated).toMatchObject({ ok: true })
  const action = async () => (await rowsOf<{ status: string }>(payer, 'SELECT status FROM wallet_action'))[0]?.status
  const session = async () =>
    (await rowsOf(payer, 'SELECT epoch, spend_limit, next_sequence FROM session WHERE current = 1'))[0]
  const done = () => mineUntil(payer, 'the rotation is done', async () => (await action()) === 'done')
  await done()
  const { id } = await payAndConfirm(payer, { amount: usdc('2') })
  const adopted = { epoch: before[0]!.epoch + 1, spend_limit: 70_000_000, next_sequence: 1 }
  expect(await session()).toEqual(adopted)

  await reorganize(last)
  await chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
  await relayerAhead(60)
  await takeBranch(payer)
  expect(await action()).toBe('sent')
  expect(await session(), 'the chain shows the one before').toMatchObject(before[0]!)
  expect(await payer.status(id)).toBe('PROCESSING')

  await chain.fault({ mode: 'none' })
  await done()
  await becomes(payer, id, 'CONFIRMED')
  expect(await session()).toEqual(adopted)
  await expectRecovery()
})

test('a deploy whose block left the chain is submitted again @reorg-8', async () => {
  const { number } = await blockAt('latest')
  await chain.mine()
  const payer = await createPayer({ on: chain, funds: '0' })
  const status = async () => (await payer.wallets().list())[0]?.status
  expect(await status()).toBe('active')
  await payer.ledger()
  await finalAt(payer, number)
  await removeBlocks(payer, number)
  await payer.ledger()
  await until('deployed again', async () => {
    await chain.mine()
    await look(payer)
    await payer.ledger()
    const code = await chain.node<string>('eth_getCode', payer.wallet.address, 'latest')
    return code !== '0x' && (await status()) === 'active'
  })
  await chain.mint(payer.wallet.address as Address, usdc('9'))
  await payAndConfirm(payer, { amount: usdc('1') })
  await payer.booksBalance()
})

test('a rotation, payouts, a claim and a reclaim that move to other blocks are booked there once @reorg-15', async () => {
  const { payer, last, expectRecovery } = await createUnfinal()
  const walletId = payer.wallet.id
  await payer.wallets().rotateSessionKey({ key: null, walletId, limit: usdc('70'), hours: 24 })
  await mineUntil(
    payer,
    'the rotation is done',
    async () => (await rowsOf<{ status: string }>(payer, 'SELECT status FROM wallet_action'))[0]?.status === 'done',
  )
  const [claimed, returned, to] = [await createPayout(payer), await createPayout(payer), fresh('claimer')]
  expect(await payer.treasury().claim({ payoutId: claimed.id, codeVersion: 1, to })).toMatchObject({ ok: true })
  expect(await payer.treasury().reclaim(returned.id)).toMatchObject({ ok: true })
  await payoutIs(payer, claimed.id, 'WITHDRAWN')
  await payoutIs(payer, returned.id, 'RECLAIMED')
  const session = await rowsOf(payer, 'SELECT epoch, next_sequence FROM session WHERE current = 1')
  const { number: head } = await blockAt('latest')
  const raws = await signedAfter(last)
  await reorganize(last)
  for (const raw of raws) await chain.node('eth_sendRawTransaction', raw)
  await takeBranch(payer)
  expect(await payoutOf(payer, claimed.id)).toMatchObject({ status: 'WITHDRAWN', funded: 1, announced: 1 })
  expect(await payoutOf(payer, returned.id)).toMatchObject({ status: 'RECLAIMED', funded: 1, announced: 1 })
  expect(await rowsOf(payer, 'SELECT epoch, next_sequence FROM session WHERE current = 1')).toEqual(session)
  const booked = await rowsOf<{ kind: string; block: number }>(payer, 'SELECT kind, block FROM booking ORDER BY kind')
  expect(booked.filter(({ block }) => block <= head)).toEqual([])
  expect(booked.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['announced', 'funded', 'reclaimed', 'withdrawn']),
  )
  await expectRecovery()
  expect(await chain.usdcBalance(to)).toBe(usdc('5'))
  expect(await payer.ledger()).toMatchObject({ returns: '5', escrowed: '0', withdrawn: '0' })
})

test('a reading of the chain that another one overtakes reads again and doubts nothing that is undone already @reorg-17', async () => {
  const { payer, last, expectRecovery } = await createUnfinal()
  await chain.mint(payer.wallet.address as Address, usdc('5'))
  await chain.mine()
  await payer.ledger()
  await reorganize(last)
  await chain.mine()
  await payer.ledger()
  await later(payer, 31)
  await chain.mine()
  // Holds back the block of the old branch that this reading compares.
  const gate = await inTreasury(payer, () => ({ asked: false, ...Promise.withResolvers<void>() }))
  const open = await changeNode(payer, (real) => ({
    async block(...args) {
      const block = await real.block(...args)
      gate.asked = true
      await gate.promise
      return block
    },
  }))
  const overtaken = inTreasury(payer, ({ context }) => scanWallet(context, payer.wallet.id))
  await until('the block is compared', async () => gate.asked)
  await open()
  expect(await payer.ledger()).toMatchObject({ deposits: '200' })
  await inTreasury(payer, () => gate.resolve())
  expect(await overtaken).toBe(true)
  expect(await rowsOf(payer, 'SELECT suspect_block FROM wallet')).toEqual([{ suspect_block: null }])
  expect(await rowsOf(payer, "SELECT 1 FROM audit WHERE event = 'wallet.reorganized'")).toHaveLength(1)
  await expectRecovery()
})

test('a claim that the payer’s own reclaim replaced is undone, and the money returns to the wallet @reorg-16', async () => {
  const { payer, finalize, expectRecovery } = await createUnfinal()
  const { id } = await createPayout(payer)
  const { number: created } = await blockAt('latest')
  const to = fresh('claimer')
  expect(await payer.treasury().claim({ payoutId: id, codeVersion: 1, to })).toMatchObject({ ok: true })
  await payoutIs(payer, id, 'WITHDRAWN')

  await reorganize(created)
  await chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
  const { payer: holder, claim_key: claimKey, reclaim_key: reclaimKey, amount, expiry } = await payoutOf(payer, id)
  const terms = { payer: holder, claimKey, reclaimKey, amount: BigInt(amount), expiry }
  const unsigned = { deadline: 0, r: `0x${'00'.repeat(32)}`, vs: `0x${'00'.repeat(32)}` } as const
  await chain.act(holder, chain.contracts.escrow, reclaimCall(terms, { atLeast: 0n, ...unsigned }))
  await chain.mine()
  await takeBranch(payer)
  await chain.fault({ mode: 'none' })
  expect(await payoutOf(payer, id)).toMatchObject({ status: 'RECLAIMED', withdrawn_to: null })
  await finalize()
  expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '0' })
  expect(await chain.usdcBalance(to)).toBe(0n)
  await expectRecovery()
})

test('nothing is undone if a node switches between branches, two nodes disagree, or one lacks the block @reorg-9', async () => {
  const { payer, last } = await createUnfinal({ funds: '39' })
  await chain.mint(payer.wallet.address as Address, usdc('500'))
  await chain.mine()
  expect(await payer.ledger()).toMatchObject({ deposits: '539' })
  const undone = async () => (await rowsOf(payer, "SELECT 1 FROM audit WHERE event = 'wallet.reorganized'")).length
  const other = { hash: `0x${'ab'.repeat(32)}` } as const
  /** Reads the chain 40 seconds and one block later through a changed node. Returns the number of undos so far. */
  const undoneAfter = async (change: (real: Chain) => Partial<Chain>) => {
    // An alarm would read the changed node as well, and two readings that agree undo the booking. One that is running would
    // take the former node's answer for a later one.
    await until('no alarm reads the chain', () =>
      inTreasury(payer, async ({ alarms }, { storage }) => {
        await storage.deleteAlarm()
        return !(['settle', 'scan', 'finality'] as const).some((kind) => alarms.inProgress(kind))
      }),
    )
    const restore = await changeNode(payer, change)
    await later(payer, 40)
    await chain.mine()
    await payer.ledger()
    await restore()
    return undone()
  }
  const shows = (first: object, second?: object | null) => (real: Chain) => ({
    hasSecond: second !== undefined,
    block: async (number: number, from?: 'first' | 'second') => {
      if (from === 'second' && second === null) throw new Error('unknown block')
      return { ...(await real.block(number)), ...(from === 'second' ? second : first) }
    },
  })
  expect(await undoneAfter(shows(other)), 'new').toBe(0)
  expect(await undoneAfter(shows({})), 'old').toBe(0)
  expect(await undoneAfter(shows(other)), 'new').toBe(0)
  expect(await undoneAfter(shows({})), 'old').toBe(0)
  expect(await undoneAfter(shows(other, {})), 'the second has ours').toBe(0)
  expect(await undoneAfter(shows({})), 'and so has the first').toBe(0)
  expect(await undoneAfter(shows(other, null)), 'unknown to the second').toBe(0)
  expect(await undoneAfter(shows({})), 'and ours to the first').toBe(0)
  expect(await payer.ledger()).toMatchObject({ deposits: '539' })

  await reorganize(last)
  const restore = await changeNode(payer, shows({}, {}))
  await chain.mine()
  expect(await payer.ledger(), 'both have another').toMatchObject({ deposits: '39' })
  expect(await undone()).toBe(1)
  await restore()
})

test('a booking from a block that the chain never had is undone before it becomes final @reorg-11', async () => {
  const { payer, finalize } = await createUnfinal({ funds: '39' })
  await chain.mint(payer.wallet.address as Address, usdc('5'))
  await chain.mine()
  expect(await payer.ledger()).toMatchObject({ deposits: '44' })
  // As if the node had changed its branch between returning the logs and the hash of their last block.
  await inTreasury(payer, ({ context: { store } }) => {
    store.run('UPDATE booking SET block_hash = ?', `0x${'cd'.repeat(32)}`)
  })
  await finalize()
  const final = () => rowsOf<{ n: number }>(payer, 'SELECT count(*) AS n FROM booking')
  expect(await final(), 'one node, once').toEqual([{ n: 1 }])
  await later(payer, 31)
  await lookAtFinality(payer)
  await payer.ledger()
  await lookAtFinality(payer)
  expect(await final()).toEqual([{ n: 0 }])
  expect(await payer.booksBalance()).toMatchObject({ deposits: '44' })
  expect(await rowsOf(payer, "SELECT 1 FROM audit WHERE event = 'booking.undone'")).toHaveLength(1)
})

test('books made wrong by a changing branch are read again before the wallet is halted @reorg-14', async () => {
  const { payer, expectRecovery } = await createUnfinal({ funds: '39' })
  await chain.mint(payer.wallet.address as Address, usdc('5'))
  expect(await payer.ledger()).toMatchObject({ deposits: '44' })
  // As if a deposit of 12 had been read just before its block left the chain for one with a deposit of 5.
  await inTreasury(payer, ({ context: { store } }) => {
    store.run('UPDATE booking SET value = value + 7000000')
    store.run('UPDATE wallet SET deposits = deposits + 7000000')
  })
  for (const seconds of [0, 301, 1]) {
    await later(payer, seconds)
    await chain.mine()
    await payer.ledger()
  }
  expect(await payer.booksBalance()).toMatchObject({ deposits: '44' })
  await expectRecovery()
})

test('an imported wallet’s payment is undone and executed again under the nonce of its authorization @reorg-12', async () => {
  const payer = await createImporter({ on: chain, funds: '0' })
  await chain.mint(payer.holder.address, usdc('20'))
  const { last, restore } = await stopFinality(payer)
  const to = fresh('shop')
  const input = payer.payment({ to: { type: 'address', address: to }, amount: usdc('5') })
  const { id } = unwrap(await payer.treasury().send(input))
  await becomes(payer, id, 'CONFIRMED')
  const nonce = await rowsOf(payer, 'SELECT authorization FROM payment')

  await removeBlocks(payer, last)
  expect(await payer.status(id)).toBe('PROCESSING')
  expect(await payer.ledger()).toMatchObject({ held: '5', out: '0' })
  await becomes(payer, id, 'CONFIRMED')
  await restore()
  await chain.mine(4)
  await payer.ledger()
  await lookAtFinality(payer)
  expect(await rowsOf(payer, 'SELECT authorization FROM payment')).toEqual(nonce)
  expect(await rowsOf(payer, 'SELECT * FROM booking')).toEqual([])
  expect(await chain.usdcBalance(to)).toBe(usdc('5'))
  expect(await payer.booksBalance()).toMatchObject({ out: '5', held: '0', available: '15' })
})
