/** A new relayer seed: a new account takes over, the old account's transactions finish, and its ETH is swept. */
import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { keyCheck, removed } from '../../worker/keyrings/keyring.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import {
  becomes,
  chain,
  env,
  recipient,
  relayer,
  relayerAddress,
  rows,
  sendRaw,
  setUpRelayers,
  until,
  wallet,
} from './relayerHarness.ts'

setUpRelayers()

const secret = '77'.repeat(32)

/** Gives the Relayer these settings, as a deployment would. */
const redeploy = (over: object) =>
  runInDurableObject(relayer(), (instance: Relayer) => {
    ;(instance as unknown as { env: object }).env = { ...env, ...over }
  })
const withVersion2 = (from: number) => {
  const check = keyCheck('RELAYER_SEED', { version: 2, secret })
  return { KEYRINGS: JSON.stringify({ RELAYER_SEED: [{ version: 2, secret, from, check }] }) }
}
const newAddress = async () => {
  const [row] = await rows<{ shard: number }>('SELECT shard FROM account')
  return relayerAccount(secret, 84532, row!.shard).address
}
const pass = (ms: number) =>
  runInDurableObject(relayer(), (instance: Relayer) => {
    const { now } = instance.clock
    instance.clock = { now: () => now() + ms }
  })
const states = async () =>
  (await relayer().accounts()).map(({ version, state, inFlight }) => [version, state, inFlight])

test('a new seed takes over once its account has ETH, while the old account’s transactions finish @keys-14', async () => {
  const wallets = [await wallet('one'), await wallet('two'), await wallet('three')]
  const job = (i: number) => chain.createSend(wallets[i]!, { to: recipient(`to ${i}`), userId: `user ${i}` })
  const send = async (i: number) => {
    const made = await job(i)
    await relayer().submit([made])
    return made.id
  }
  // Signed by the old account, but not in any pool yet.
  await chain.fault({ mode: 'down', methods: sendRaw })
  const before = await send(0)
  await until('signed', async () => (await rows('SELECT 1 FROM attempt')).length > 0)
  await redeploy(withVersion2(Date.now() - 1_000))
  expect(await states(), 'it has no ETH').toEqual([
    [1, 'sending', 1],
    [2, 'waiting', 0],
  ])
  await chain.giveEther(await newAddress())
  await pass(61_000)
  await relayer().wakeUp()
  await chain.fault({ mode: 'none' })
  const after = await send(1)
  await until('both are mined', async () => {
    await chain.mine()
    await relayer().wakeUp()
    const [left] = await rows<{ n: number }>(`SELECT count(*) AS n FROM job WHERE state <> 'mined'`)
    return left!.n === 0
  })
  for (const id of [before, after]) expect((await becomes(id, 'mined')).state).toBe('mined')
  for (const i of [0, 1]) expect(await chain.usdcBalance(recipient(`to ${i}`))).toBe(2_500_000n)
  expect([await chain.nonce(relayerAddress()), await chain.nonce(await newAddress())]).toEqual([1, 1])
  expect(await states()).toEqual([
    [1, 'older', 0],
    [2, 'sending', 0],
  ])

  // The remaining ETH of the old account is swept.
  await pass(dayMs)
  await runInDurableObject(relayer(), (instance: Relayer) => instance.alarm())
  await until('swept', async () => {
    await chain.mine()
    await relayer().wakeUp()
    return (await states())[0]![2] === 0
  })
  const [old, sending] = await relayer().accounts()
  expect(old!.balance).toBeLessThan(3n * 10n ** 14n)
  expect(sending!.balance).toBeGreaterThan(19n * 10n ** 17n)
  expect((await relayer().account()).nextNonce).toBe(1)

  // The old version is removed.
  await redeploy({ ...withVersion2(1), RELAYER_SEED_V1: removed })
  const last = await send(2)
  await becomes(last, 'broadcast')
  expect(await states()).toEqual([[2, 'sending', 1]])
  await chain.mine()
  await relayer().wakeUp()
})

test('a different seed under the version in use signs nothing @keys-15', async () => {
  await relayer().account()
  await runInDurableObject(relayer(), async (instance: Relayer, { storage }) => {
    const fresh = instance as unknown as { env: object }
    fresh.env = { ...env, RELAYER_SEED_V1: '55'.repeat(32) }
    const { RelayerAccounts } = await import('../../worker/relayer/accounts.ts')
    const [row] = storage.sql.exec<{ shard: number }>('SELECT shard FROM account').toArray()
    const accounts = new RelayerAccounts({
      sql: storage.sql,
      chainId: 84532,
      shard: row!.shard,
      settings: () => fresh.env as typeof env,
      now: Date.now,
      balance: async () => 0n,
      createSubmitter: () => {
        throw new Error('never')
      },
    })
    expect(() => accounts.active()).toThrow('RELAYER_SEED version 1 is a different secret')
    fresh.env = env
  })
})
