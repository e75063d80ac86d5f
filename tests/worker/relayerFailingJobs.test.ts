import { runInDurableObject } from 'cloudflare:test'
import { encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import {
  type AttemptRow,
  advanceClock,
  attempts,
  becomes,
  chain,
  recipient,
  relayer,
  report,
  rows,
  sequence,
  settle,
  setUpRelayers,
  transaction,
  wallet,
} from './relayerHarness.ts'

setUpRelayers()

describe('failing jobs', () => {
  test('a job that fails in simulation is parked with its reason, and the others are sent', async () => {
    const good = await sequence(3, async (i) => chain.createSend(await wallet(`good${i}`), { userId: `u${i}` }))
    const poor = await wallet('poor', 0n)
    const bad = await chain.createSend(poor, { userId: 'bad', to: recipient('bad') })
    await relayer().submit([good[0]!, bad, good[1]!, good[2]!])
    expect(await becomes(bad.id, 'parked')).toMatchObject({ reason: 'ERC20: transfer amount exceeds balance' })
    const hashes = await Promise.all(good.map(async ({ id }) => (await becomes(id, 'broadcast')).txHash))
    expect(new Set(hashes).size).toBe(1)
    await settle()

    await chain.mint(poor.address, 2_500_000n)
    await advanceClock(60_000)
    await relayer().wakeUp()
    const sent = await becomes(bad.id, 'broadcast')
    expect((await transaction(sent.txHash)).to).toBe(poor.address.toLowerCase())
    await settle()
    expect(await chain.usdcBalance(recipient('bad'))).toBe(2_500_000n)
  })

  test('a call to an address without code is not sent', async () => {
    const job = await chain.createSend({ ...(await wallet('real')), address: recipient('no contract') })
    await relayer().submit([job])
    expect(await becomes(job.id, 'parked')).toMatchObject({ reason: 'no code at the target' })
    expect(await attempts()).toEqual([])
  })

  test.each([
    { others: 0, how: 'alone' },
    { others: 3, how: 'in a batch' },
  ])(
    'a job that fails on chain $how is retried in its own transaction, then parked with its reason',
    async ({ others }) => {
      const emptied = await wallet('emptied')
      const bad = await chain.createSend(emptied, { userId: 'bad' })
      const good = await sequence(others, async (i) => chain.createSend(await wallet(`c${i}`), { userId: `u${i}` }))
      await relayer().submit([bad, ...good])
      await becomes(bad.id, 'broadcast')
      const [{ raw, hash }] = (await attempts()) as [AttemptRow]
      // The money leaves between broadcast and block.
      await chain.node('anvil_dropTransaction', hash)
      const args = [chain.contracts.usdc, emptied.owner.address, 1_000_000_000n] as const
      const data = encodeFunctionData({ abi: agentWalletAbi, functionName: 'withdraw', args })
      await chain.act(emptied.owner.address, emptied.address, data)
      await chain.node('eth_sendRawTransaction', raw)
      await settle()
      expect(await report(bad.id)).toMatchObject({ state: 'parked', reason: 'ERC20: transfer amount exceeds balance' })
      for (const { id } of good) expect((await report(id)).state).toBe('mined')
      expect(await rows('SELECT user_id FROM failure')).toEqual([{ user_id: 'bad' }])
    },
  )

  test('jobs of a user with ten failures this hour are parked; those of other users are not @delivery-4', async () => {
    await runInDurableObject(relayer(), (_: Relayer, { storage }) => {
      for (let i = 0; i < 10; i++) storage.sql.exec(`INSERT INTO failure VALUES ('costly', ?)`, Date.now())
    })
    const costly = await chain.createSend(await wallet('costly'), { userId: 'costly' })
    const other = await chain.createSend(await wallet('other'), { userId: 'other' })
    await relayer().submit([costly, other])
    await becomes(other.id, 'broadcast')
    expect(await report(costly.id)).toMatchObject({ state: 'parked', reason: 'too many failed deliveries this hour' })
    await settle()
  })
})

test('if USDC refuses a transfer, the report has the reason', async () => {
  const blocked = recipient('blocked')
  await chain.blacklist(blocked)
  const job = await chain.createSend(await wallet('blocked'), { to: blocked })
  await relayer().submit([job])
  expect(await becomes(job.id, 'parked')).toMatchObject({ reason: 'Blacklistable: account is blacklisted' })
})
