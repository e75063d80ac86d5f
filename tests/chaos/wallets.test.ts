/**
 * Kills the Worker at every step of a deploy, of importing a wallet, and of a payment from it. Each is requested with
 * one key until it gets a reply, and takes effect once. The moments cover the whole process: before the row is written,
 * between row and Relayer, between Relayer and block, and after.
 *
 * @module-tag all
 */
import { randomUUID } from 'node:crypto'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import type { SendReply } from '#schemas/transaction.ts'
import type { DeployReply, Wallet, WalletLedger } from '#schemas/wallet.ts'
import { until } from '../../local/client.ts'
import type { Address } from '../../worker/chain/types.ts'
import { usdc } from '../support/build.ts'
import { within } from '../support/patience.ts'
import { addressFor, chainReader, definite, newUser, pause } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

/** When the Worker is killed, in ms after the request was sent. Blocks come every second. */
const moments = [0, 15, 40, 80, 150, 300, 600, 1_000, 1_600, 2_500]

const stack = await createTestStack({ lean: true })
afterAll(() => stack.stop())

type Envelope<T> = { success: boolean; data: T; code: string }
const chain = () => chainReader(stack.rpc[8453], stack.contracts[8453].usdc)

/** Starts `work` and kills the Worker `ms` later; `work` repeats its request until it gets a reply. */
async function killedAfter<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const killing = pause(ms).then(async () => {
    await stack.killWorker()
    await stack.restartWorker()
  })
  const [answer] = await Promise.all([work(), killing])
  return answer
}

test('a deploy creates exactly one wallet, no matter at which of ten moments the Worker is killed @chaos-6', {
  ...within(240_000),
}, async () => {
  const { bursar } = stack
  const factory = stack.contracts[8453].factory
  const created = async () => (await chain().client.getLogs({ address: factory, fromBlock: 0n })).length
  const before = await created()
  for (const [i, ms] of moments.entries()) {
    const { token } = await newUser(stack)
    const key = randomUUID()
    const body = { ownerAddress: privateKeyToAddress(generatePrivateKey()), chainId: 8453, name: `Killed at ${ms} ms` }
    const deploy = () =>
      definite<Envelope<DeployReply>>(bursar, '/api/wallets/smart-wallets-v2/deploy', async () => ({
        token: await token(),
        key,
        body,
      }))
    const { data } = (await killedAfter(ms, deploy)).body
    const [wallet, ...others] = await until(`active after a kill at ${ms} ms`, async () => {
      const list = await bursar.api<Wallet[]>('/wallets', { token: await token() })
      return list[0]?.status === 'active' && list
    })
    expect(others, `killed at ${ms} ms`).toEqual([])
    expect(wallet).toMatchObject({ id: data.id, address: data.walletAddress })
    const code = await chain().client.getCode({ address: data.walletAddress as Address })
    expect(code, `killed at ${ms} ms`).toBeTruthy()
    expect((await deploy()).body.data.id, 'repeated').toBe(data.id)
    expect(await created(), `killed at ${ms} ms`).toBe(before + i + 1)
  }
})

test('an imported wallet is added and pays exactly once despite kills at each moment, and its books match @chaos-7', {
  ...within(240_000),
}, async () => {
  const { bursar } = stack
  const { token } = await newUser(stack)
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  await bursar.plain('/dev/faucet', { body: { address, amount: '50' } })
  await until('the money', async () => (await chain().balanceOf(address)) === usdc('50'))
  const importKey = randomUUID()
  const body = { address, chain: 'base', privateKey, masterPassword: 'a master password' }
  const add = () =>
    definite<Envelope<Wallet>>(bursar, '/api/wallets/with-private-key', async () => ({
      token: await token(),
      key: importKey,
      body,
    }))
  const { id } = (await killedAfter(30, add)).body.data
  expect(await bursar.api<Wallet[]>('/wallets', { token: await token() })).toHaveLength(1)

  const to = addressFor(`recipient ${id}`)
  const ids: string[] = []
  for (const ms of moments) {
    const key = randomUUID()
    const pay = () =>
      definite<Envelope<SendReply>>(bursar, '/api/transactions/send', async () => ({
        token: await token(),
        key,
        body: { walletId: id, toAddress: to, amount: '1.5' },
      }))
    const answer = await killedAfter(ms, pay)
    ids.push(answer.body.data.id)
    expect((await pay()).body.data.id, 'repeated').toBe(answer.body.data.id)
  }
  expect(new Set(ids).size).toBe(moments.length)
  const books = await until('nothing held', async () => {
    const found = await bursar.api<WalletLedger>(`/wallets/${id}/ledger`, { token: await token() })
    return found.held === '0' && found
  })
  const transfers = (await chain().transfers()).filter((transfer) => transfer.from === address)
  expect(transfers.map(({ value }) => value)).toEqual(moments.map(() => usdc('1.5')))
  expect(books).toMatchObject({ deposits: '50', out: '15', available: '35', withdrawn: '0', chainBalance: '35' })
})
