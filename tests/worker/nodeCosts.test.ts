/**
 * What one payment costs at the node. Treasury, Relayer and chain follow one clock that only the test moves: a block every
 * two seconds, final after twenty minutes, as on Base.
 */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { toHex } from 'viem/utils'
import { expect, test } from 'vitest'
import { blockMs } from '#domain/networks.ts'
import { minuteMs } from '#domain/time.ts'
import { relayerName } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { units } from '../bench/scale/model.ts'
import { computeUnits } from '../support/computeUnits.ts'
import { changeNode } from '../support/manualClock.ts'
import { patient } from '../support/patience.ts'
import { accepted, manualChain as chain, createPayer, type Payer, prepare, until } from '../support/payer.ts'
import { env } from '../support/testEnv.ts'
import { inTreasury, rowsOf, setClock, treasuryOf } from '../support/treasuries.ts'

const finalBlocks = (20 * minuteMs) / blockMs

const relayer = () => env.RELAYER.getByName(relayerName(84532, 0))
const timers = 'SELECT kind, due_at FROM timer ORDER BY due_at'
type Timer = { kind: string; due_at: number }
const relayerTimers = () =>
  runInDurableObject(relayer(), (_: Relayer, { storage }) => storage.sql.exec<Timer>(timers).toArray())

async function onOneClock(payer: Payer) {
  const clock = { now: ((await chain.timestamp()) + 1) * 1000 }
  let nextBlockAt = clock.now
  await setClock(payer, () => clock.now)
  await runInDurableObject(relayer(), (instance: Relayer) => {
    instance.clock = { now: () => clock.now }
  })
  await inTreasury(payer, ({ context }) => {
    // What Watch reads for all wallets is counted by itself (docs/scale.md).
    const watch = { renew: async () => 'confirmed' }
    const WATCH = { getByName: () => watch } as unknown as typeof context.env.WATCH
    context.env = { ...context.env, CONFIRM_DEPTH: '2', WATCH }
  })
  await changeNode(payer, (real) => ({
    // One call, as for the real one.
    finalized: async () => real.block(Number(await chain.node('eth_blockNumber')) - finalBlocks),
  }))
  const isAtRest = async () =>
    [...(await relayerTimers()), ...(await rowsOf<Timer>(payer, timers))].every(
      ({ kind }) => !kind.startsWith('retry:'),
    )
  const mineAt = async (at: number) => {
    await chain.node('evm_setNextBlockTimestamp', at / 1000)
    await chain.mine()
  }
  const mine = async (blocks: number) => {
    const last = nextBlockAt + (blocks - 1) * blockMs
    // Of many, only the first and the last have the exact time: the node's own clock goes on between them.
    const exact = blocks > 10 ? [nextBlockAt] : Array.from({ length: blocks }, (_, i) => nextBlockAt + i * blockMs)
    for (const at of exact) await mineAt(at)
    if (blocks > 10) {
      await chain.node('anvil_mine', toHex(blocks - 2), toHex(1))
      await mineAt(last)
    }
    nextBlockAt = last + blockMs
  }
  /** Lets time pass until `isDone`, at most so long. */
  const pass = async (ms: number, isDone: () => Promise<boolean> = async () => false) => {
    const end = clock.now + ms
    while (clock.now < end && !(await isDone())) {
      await until('at rest', isAtRest)
      const [relayerAt = end, treasuryAt = end] = [
        (await relayerTimers())[0]?.due_at,
        (await rowsOf<Timer>(payer, timers))[0]?.due_at,
      ]
      const workAt = Math.min(relayerAt, treasuryAt, end)
      if (nextBlockAt <= workAt) {
        clock.now = Math.max(clock.now, nextBlockAt)
        await mine(Math.floor((workAt - nextBlockAt) / blockMs) + 1)
      }
      clock.now = Math.max(clock.now, workAt)
      if (relayerAt <= clock.now) await runDurableObjectAlarm(relayer())
      if (treasuryAt <= clock.now) await runDurableObjectAlarm(treasuryOf(payer))
    }
  }
  await mine(finalBlocks)
  clock.now = nextBlockAt
  return { clock, pass }
}

/** Each call to the node for a payment of a smart wallet without an allowance for purchases, to a new recipient. */
const untilConfirmed = {
  // Treasury: whether the token blocks the recipient. Relayer: the simulation. Treasury: the wallet's state when it is confirmed.
  eth_call: 3,
  // Treasury: the time on chain, to sign. Relayer: the base fee. Treasury: which block is CONFIRM_DEPTH deep, and its hash.
  eth_getBlockByNumber: 3,
  // Relayer: the priority fee.
  eth_maxPriorityFeePerGas: 1,
  // Relayer: a call to a wallet without code would succeed and do nothing.
  eth_getCode: 1,
  eth_sendRawTransaction: 1,
  // Relayer: at most once a second. Its logs go to the Treasury, which asks for none.
  eth_getTransactionReceipt: 2,
}
const untilFinal = {
  // The balance at the finalized block.
  eth_call: 1,
  // The finalized block, and whether the booked one is still in the chain.
  eth_getBlockByNumber: 2,
}

/** While the block is not there the receipt is requested again, on a slow machine more often: two requests count. */
function unhurried(calls: Record<string, number>): Record<string, number> {
  const { eth_getTransactionReceipt: receipts = 0 } = calls
  expect(receipts).toBeLessThanOrEqual(patient(4))
  return { ...calls, eth_getTransactionReceipt: 2 }
}

/** Once an hour the Relayer asks which nonces are final. That counts with the cron. */
function withoutPrune(calls: Record<string, number>): Record<string, number> {
  const { eth_getTransactionCount: prunes = 0, eth_getBlockByNumber: blocks = 0, ...others } = calls
  return { ...others, eth_getBlockByNumber: blocks - prunes }
}

test('a lone payment takes at most 250 compute units until it is confirmed, and 330 until its wallet is idle @costs-1', async () => {
  await prepare()
  const payer = await createPayer({ on: chain })
  const { clock, pass } = await onOneClock(payer)
  const isConfirmed = (id: string) => async () => (await payer.status(id)) === 'CONFIRMED'
  const isFinal = async () => (await rowsOf(payer, 'SELECT 1 FROM booking')).length === 0
  const pay = async () => {
    const { id } = await accepted(payer)
    await until('broadcast', async () => await inTreasury(payer, ({ context }) => context.store.payment(id)!.tx_hash))
    return id
  }
  // With the first payments an account learns when blocks become final.
  for (let i = 0; i < 2; i++) {
    await pass(minuteMs, isConfirmed(await pay()))
    await pass(40 * minuteMs)
    expect(await isFinal()).toBe(true)
  }

  await chain.takeCalls()
  const paidAt = clock.now
  const id = await pay()
  await pass(minuteMs, isConfirmed(id))
  expect(await payer.status(id)).toBe('CONFIRMED')
  expect(clock.now - paidAt, 'ms until it is confirmed').toBeLessThanOrEqual(3 * blockMs)
  expect(unhurried(await chain.takeCalls())).toEqual(untilConfirmed)

  expect(await isFinal()).toBe(false)
  await pass(25 * minuteMs)
  expect(await isFinal()).toBe(true)
  expect(withoutPrune(await chain.takeCalls())).toEqual(untilFinal)

  const confirmation = computeUnits(untilConfirmed)
  const total = confirmation + computeUnits(untilFinal)
  expect([confirmation, total], 'of docs/scale.md').toEqual([units.confirmation, units.payment])
  expect(confirmation).toBeLessThanOrEqual(250)
  expect(total).toBeLessThanOrEqual(330)
  await payer.booksBalance()
})
