import { runInDurableObject } from 'cloudflare:test'
import { parseTransaction, toHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { RelayJob } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { kill } from '../support/kill.ts'
import {
  type AttemptRow,
  advanceClock,
  attempts,
  becomes,
  chain,
  hasAttempts,
  inTreasury,
  isInPool,
  recipient,
  relayer,
  relayerAddress,
  report,
  rows,
  sendRaw,
  sequence,
  settle,
  setUpRelayers,
  submitSend,
  unique,
  until,
  wallet,
} from './relayerHarness.ts'

setUpRelayers()

describe('faults', () => {
  test('after a crash between storing and sending, the same bytes are sent', async () => {
    await chain.fault({ mode: 'down', methods: sendRaw })
    const job = await submitSend('crash')
    await hasAttempts(1)
    const [stored] = await attempts()
    await kill(relayer())
    await chain.fault({ mode: 'none' })
    await becomes(job.id, 'broadcast')
    expect(await attempts()).toEqual([stored])
    await settle()
    expect(await chain.usdcBalance(recipient('crash'))).toBe(2_500_000n)
  })

  test('after a crash during the first request to the node, the alarm takes over', async () => {
    await chain.fault({ mode: 'slow', delayMs: 3_000 })
    const job = await submitSend('early')
    await kill(relayer())
    await chain.fault({ mode: 'none' })
    await becomes(job.id, 'broadcast')
    await settle()
  })

  test('when the reply to an accepted transaction is lost, it is sent again and mined once', async () => {
    await chain.fault({ mode: 'swallow', methods: sendRaw })
    const job = await submitSend('lost')
    await isInPool()
    expect((await report(job.id)).state).toBe('waiting')
    await chain.fault({ mode: 'none' })
    await becomes(job.id, 'broadcast')
    await settle()
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('lost'))).toBe(2_500_000n)
  })

  test('a transaction whose reply was lost may be mined before it is sent again', async () => {
    await chain.fault({ mode: 'swallow', methods: sendRaw })
    const job = await submitSend('quick')
    await isInPool()
    await chain.fault({ mode: 'down' })
    await chain.mine()
    await chain.fault({ mode: 'none' })
    await becomes(job.id, 'mined')
    await settle()
    expect(await attempts()).toHaveLength(1)
  })

  test('when an unknown transaction used the nonce, the job is sent under the next one @delivery-3', async () => {
    await chain.fault({ mode: 'down', methods: sendRaw })
    const job = await submitSend('stolen')
    await hasAttempts(1)
    await chain.act(relayerAddress(), relayerAddress(), '0x')
    await chain.fault({ mode: 'none' })
    await becomes(job.id, 'broadcast')
    await settle()
    expect((await attempts()).map(({ nonce }) => nonce)).toEqual([0, 1])
    expect(await rows('SELECT state FROM account_tx ORDER BY nonce')).toEqual([{ state: 'lost' }, { state: 'mined' }])
    expect(await chain.usdcBalance(recipient('stolen'))).toBe(2_500_000n)
  })

  test('a transaction that is not mined is replaced with higher fees under the same nonce', async () => {
    const job = await submitSend('stuck')
    const sent = await becomes(job.id, 'broadcast')
    for (let block = 0; block < 5; block++) {
      await chain.node('anvil_setNextBlockBaseFeePerGas', toHex(4_900_000_000n))
      await chain.mine()
    }
    // The node would accept the old bytes again; only the time without a receipt calls for higher fees.
    await chain.node('anvil_setNextBlockBaseFeePerGas', toHex(1n))
    await hasAttempts(2)
    const replaced = await until('another hash', async () => {
      const now = await report(job.id)
      return now.txHash !== sent.txHash && now
    })
    expect(replaced.state).toBe('broadcast')
    const [first, second] = (await attempts()).map(({ raw }) => parseTransaction(raw))
    expect(second?.nonce).toBe(first?.nonce)
    expect(second?.maxFeePerGas).toBeGreaterThan(first!.maxFeePerGas!)
    expect(second?.maxPriorityFeePerGas).toBeGreaterThan(first!.maxPriorityFeePerGas!)
    await settle()
    expect(await chain.usdcBalance(recipient('stuck'))).toBe(2_500_000n)
  })

  test('a transaction whose jobs expired before a node accepted it is cancelled', async () => {
    await chain.fault({ mode: 'down', methods: sendRaw })
    const job = await submitSend('useless')
    await hasAttempts(1)
    await chain.node('evm_increaseTime', 600)
    await chain.mine()
    await chain.fault({ mode: 'none' })
    await settle()
    expect((await attempts()).map(({ nonce, is_cancellation }) => [nonce, is_cancellation])).toEqual([
      [0, 0],
      [0, 1],
    ])
    expect(await report(job.id)).toMatchObject({ state: 'dropped', reason: 'too little time left' })
    expect(await chain.usdcBalance(recipient('useless'))).toBe(0n)
  })

  test('a transaction that nodes refuse is cancelled, and its job is sent in its own transaction', async () => {
    await chain.fault({ mode: 'refuse', methods: sendRaw, message: 'exceeds block gas limit' })
    await submitSend('refused')
    await hasAttempts(2)
    await chain.fault({ mode: 'none' })
    await settle()
    expect((await attempts()).map(({ nonce, is_cancellation }) => [nonce, is_cancellation])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ])
    expect(await chain.usdcBalance(recipient('refused'))).toBe(2_500_000n)
  })

  test('a nonce that a reorganization freed is used again for the same content', async () => {
    const from = await wallet('hole')
    const [lower, upper] = await sequence(2, (i) => chain.createSend(from, { sequence: i, to: recipient('hole') }))
    await relayer().submit([lower!])
    await becomes(lower!.id, 'broadcast')
    const [{ hash }] = (await attempts()) as [AttemptRow]
    // Simulates a transaction that was mined and then disappeared from chain and pool.
    await runInDurableObject(relayer(), (_: Relayer, { storage }) => {
      storage.sql.exec(`UPDATE account_tx SET state = 'mined', closed_at = ?`, Date.now())
      storage.sql.exec(`UPDATE job SET state = 'mined', finished_at = ?`, Date.now())
    })
    await chain.node('anvil_dropTransaction', hash)
    await relayer().submit([upper!])
    await becomes(upper!.id, 'broadcast')
    await chain.mine(5)
    await settle()
    expect((await attempts()).map(({ nonce }) => nonce)).toEqual([0, 1])
    expect(await chain.usdcBalance(recipient('hole'))).toBe(5_000_000n)
  })

  test('a node that denies every receipt delays only the reports', async () => {
    const job = await submitSend('denied')
    await becomes(job.id, 'broadcast')
    await chain.fault({ mode: 'lie' })
    await chain.mine()
    await relayer().wakeUp()
    expect((await report(job.id)).state).toBe('broadcast')
    // Long enough for the nonce to count as lost: the job is sent again, and the wallet refuses it.
    await advanceClock(11_000)
    await relayer().wakeUp()
    expect(await becomes(job.id, 'parked')).toMatchObject({ reason: expect.stringContaining('Nonce') })
    await chain.fault({ mode: 'none' })
    await relayer().wakeUp()
    await becomes(job.id, 'mined')
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('denied'))).toBe(2_500_000n)
  })

  test('jobs wait while the account has no ETH, and are sent once it has some', async () => {
    await chain.giveEther(relayerAddress(), 0n)
    const job = await submitSend('broke')
    await hasAttempts(1)
    expect((await report(job.id)).state).toBe('waiting')
    await chain.giveEther(relayerAddress())
    await becomes(job.id, 'broadcast')
    await settle()
    expect(await attempts()).toHaveLength(1)
  })

  test('jobs wait while the node is unreachable, and are sent once it recovers', async () => {
    await chain.fault({ mode: 'down' })
    const job = await submitSend('away')
    expect((await relayer().wait(job.id, 700))?.state).toBe('waiting')
    await chain.fault({ mode: 'none' })
    await becomes(job.id, 'broadcast')
    await settle()
  })

  test('a Treasury that fails receives its reports again', async () => {
    const user = unique('failing treasury')
    await inTreasury(user, (treasury) => {
      treasury.isFailing = true
    })
    await submitSend('reports', { userId: user })
    await settle()
    await inTreasury(user, (treasury) => {
      treasury.isFailing = false
    })
    await until('the reports', () => inTreasury(user, (treasury) => treasury.received.length > 0))
    await until(
      'no pending reports',
      async () => (await rows('SELECT 1 FROM job WHERE report_at IS NOT NULL')).length === 0,
    )
  })

  test('a Treasury that never replies to a report does not delay deliveries', async () => {
    const user = unique('hanging treasury')
    await inTreasury(user, (treasury) => {
      treasury.isHanging = true
    })
    const job = await submitSend('hanging', { userId: user })
    await becomes(job.id, 'broadcast')
    await chain.mine()
    // The Relayer's own alarm does it; nothing else wakes it.
    await becomes(job.id, 'mined')
    await inTreasury(user, (treasury) => {
      treasury.isHanging = false
    })
  })

  test('through a series of faults, each send happens once and no nonce is missing @delivery-1', async () => {
    const wallets = await sequence(4, (i) => wallet(`storm${i}`))
    const jobs: RelayJob[] = []
    const faults = ['none', 'swallow', 'down', 'none', 'lie', 'swallow', 'none'] as const
    for (const [round, mode] of faults.entries()) {
      await chain.fault(round % 2 ? { mode } : { mode, methods: sendRaw })
      const wave = await sequence(4, (i) =>
        chain.createSend(wallets[i]!, { sequence: round, userId: `u${i}`, amount: 1_000n, to: recipient('storm') }),
      )
      jobs.push(...wave)
      await relayer().submit(wave)
      await relayer().wakeUp()
      if (round === 3) await kill(relayer())
      if (round % 3 === 2) await chain.mine()
    }
    await chain.fault({ mode: 'none' })
    await settle()
    for (const { id } of jobs) expect((await report(id)).state).toBe('mined')
    expect(await chain.usdcBalance(recipient('storm'))).toBe(BigInt(jobs.length) * 1_000n)
  })
})
