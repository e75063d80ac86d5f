import { runInDurableObject } from 'cloudflare:test'
import { toHex } from 'viem/utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { relayerName } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import {
  advanceClock,
  attempts,
  becomes,
  chain,
  recipient,
  relayer,
  relayerAddress,
  report,
  settle,
  setUpRelayers,
  submitSend,
  unique,
  until,
  wallet,
} from './relayerHarness.ts'

setUpRelayers()
afterEach(() => vi.restoreAllMocks())

/** Captures warnings and errors. Returns a function that returns them as text. */
function captureLog(): () => string {
  const logs = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}))
  return () => logs.flatMap((log) => log.mock.calls.map((line) => line.join(' '))).join('\n')
}

const shard = () => Number(unique('').trim())
const wild = toHex(10_000n * 1_000_000_000n)

describe('fees of 10,000 gwei from a node', () => {
  test.each([
    { name: 'priority fee', results: { eth_maxPriorityFeePerGas: wild } },
    { name: 'base fee', results: { eth_getBlockByNumber: { baseFeePerGas: wild } } },
  ])(
    'at an excessive $name the Relayer sends nothing, reports why, and resumes once fees are normal @relayer-8',
    async ({ name, results }) => {
      const logged = captureLog()
      const why = `the node asks for a ${name} of 10000 gwei, the ceiling is ${name === 'base fee' ? 5 : 2}`
      await chain.fault({ mode: 'forge', results })
      const job = await submitSend('rush')
      await until('the Relayer holds', async () => (await relayer().health()).holding !== null)
      for (let tries = 0; tries < 3; tries++) await relayer().wakeUp()

      expect(await attempts()).toEqual([])
      expect(await chain.node('eth_getTransactionCount', relayerAddress(), 'pending')).toBe('0x0')
      expect((await relayer().health()).holding).toBe(why)
      expect(await report(job.id)).toEqual({ id: job.id, state: 'waiting', reason: why })
      // One line for this Relayer; Relayers of earlier tests read fees as well.
      const line = (event: string, reason: string | null) =>
        JSON.stringify({ level: 'warning', event, relayer: relayerName(84532, shard()), reason })
      expect(logged().split(line('relayer_sends_nothing', why))).toHaveLength(2)

      await chain.fault({ mode: 'none' })
      await becomes(job.id, 'broadcast')
      expect(logged()).toContain(line('relayer_sends_again', null))
      expect((await relayer().health()).holding).toBeNull()
      await settle()
      expect(await chain.usdcBalance(recipient('rush'))).toBe(2_500_000n)
    },
  )

  test('at excessive fees a transaction in flight is not replaced, but its receipt counts @relayer-15', async () => {
    const job = await submitSend('underway')
    await becomes(job.id, 'broadcast')
    await chain.node('anvil_dropTransaction', (await attempts())[0]!.hash)
    // Before the blocks, after which the Relayer's own next step would replace it.
    await chain.fault({ mode: 'forge', results: { eth_maxPriorityFeePerGas: wild } })
    await chain.mine(6)
    for (let tries = 0; tries < 3; tries++) await relayer().wakeUp()
    expect(await attempts()).toHaveLength(1)

    await chain.node('eth_sendRawTransaction', (await attempts())[0]!.raw)
    await chain.mine()
    await relayer().wakeUp()
    expect((await report(job.id)).state).toBe('mined')
  })
})

test('a malformed seed is refused with a message that does not contain it @relayer-14', async () => {
  const logged = captureLog()
  const job = await chain.createSend(await wallet('seed'))
  const seed = `${'c0ffee'.repeat(10)}xyz`
  await runInDurableObject(relayer(), async (instance: Relayer) => {
    const object = instance as unknown as { env: Record<string, unknown> }
    const { env } = object
    object.env = { ...env, RELAYER_SEED_V1: seed }
    await expect(instance.submit([job])).rejects.toThrow(/^RELAYER_SEED_V1 must be 32 bytes of hex, other than zero$/)
    await instance.alarm()
    object.env = env
  })
  expect(logged()).not.toContain('c0ffee')
  expect(await relayer().submit([job])).toMatchObject({ accepted: [job.id] })
  await advanceClock(0)
  await settle()
})
