/**
 * Puts one account's Treasury back to an earlier time while payments of each kind are open, with a copy of its file, and
 * kills the Worker repeatedly during the restore.
 */
import { randomUUID } from 'node:crypto'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import type { CreateEscrowReply, Escrow } from '#schemas/escrow.ts'
import type { UserRestoreReply } from '#schemas/ops.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Wallet, WalletLedger } from '#schemas/wallet.ts'
import { until } from '../../local/client.ts'
import { commands } from '../../scripts/ops/commands.ts'
import { execute } from '../../scripts/ops/run.ts'
import { RpcClient } from '../../worker/chain/rpcClient.ts'
import { usdc } from '../support/build.ts'
import { copyTreasury, withHistory } from '../support/objectFiles.ts'
import { addressFor, chainReader, createSender, pause } from '../support/stackClient.ts'
import { createFundedWallet, createTestStack, type TestStack } from '../support/testStack.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await createTestStack({ lean: true })
}, 60_000)
afterAll(() => stack?.stop())

type Paid = { id: string; key: string; to: string }
/** The long run sets RESTORE_KILLS=30. */
const kills = Number(process.env.RESTORE_KILLS ?? 2)
const ten = Array.from({ length: 10 }, (_, i) => i)

const ops = async (id: string, act: string, switches: string[] = [], options: Record<string, string> = {}) =>
  (
    await execute(
      commands['restore-user']!,
      { args: [id, act], reason: 'its object was lost', options, switches },
      {
        env: { BURSAR_URL: stack.url, CF_ACCESS_CLIENT_ID: 'x', CF_ACCESS_CLIENT_SECRET: 'x' },
        fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, cookie: 'local_operator=1' } }),
      },
    )
  ).data as UserRestoreReply

test(
  'restoring an account to an earlier time loses no payment and makes none twice @restore-11',
  async () => {
    const { bursar } = stack
    const sender = await createSender(stack, { funds: '300', limit: 250, agents: 2 })
    const token = await sender.token()
    const { apiKey } = sender.agents[0]!
    const userId = String((JSON.parse(atob(token.split('.')[1]!)) as { sub: string }).sub)
    const imported = await importWallet(token, '100')
    const get = <T>(path: string) => bursar.api<T>(path, { token })

    const pay = async (to: object, key: string) =>
      bursar.call<{ id: string; status: string; code?: string }>('/v1/payments', {
        token: apiKey,
        key,
        body: { to, amount: '1' },
      })
    const byAgent = async (name: string): Promise<Paid> => {
      const [key, to] = [randomUUID(), addressFor(name)]
      const { status, body } = await pay({ type: 'address', address: to }, key)
      expect(status, JSON.stringify(body)).toBe(201)
      return { id: body.id, key, to }
    }
    const byOwner = async (name: string, walletId = imported.id): Promise<Paid> => {
      const [key, to] = [randomUUID(), addressFor(name)]
      const body = { walletId, toAddress: to, amount: '1' }
      const { id } = await bursar.api<{ id: string }>('/transactions/send', { token, key, body })
      return { id, key, to }
    }
    const payoutBody = (i: number) => ({
      sourceWalletId: sender.wallet.id,
      amount: '2',
      recipientEmail: `restored${i}@bursar.test`,
      expiresInDays: 7,
    })
    const payOut = async (i: number) => {
      const key = randomUUID()
      const payout = await bursar.api<CreateEscrowReply>('/escrow/create', { token, key, body: payoutBody(i) })
      return { ...payout, key }
    }
    const statusOf = async ({ id }: { id: string }) => (await get<Escrow>(`/escrow/${id}`)).status
    const payoutIs = (payout: { id: string }, status: string) =>
      until(`payout ${status}`, async () => (await statusOf(payout)) === status)
    const confirmed = ({ id }: { id: string }) =>
      until('confirmed', async () => (await get<Transaction>(`/transactions/${id}`)).status === 'CONFIRMED')
    const claim = async (payout: CreateEscrowReply, to: string) => {
      const accessToken = new URL(payout.claimUrl).pathname.split('/').at(-1)!
      const body = { accessToken, passcode: payout.passcode, recipientAddress: addressFor(to) }
      await bursar.api('/escrow/claim', { body })
      await payoutIs(payout, 'WITHDRAWN')
    }

    // Before the copy: a payment from each wallet, and a payout that stays open.
    const earlier = [await byAgent('earlier'), await byOwner('earlier imported')]
    const openBefore = await payOut(100)
    await Promise.all([...earlier.map(confirmed), payoutIs(openBefore, 'CREATED')])
    await stack.stopWorker()
    const putBack = await copyTreasury(stack.stateDir, userId)
    await stack.restartWorker()

    // After the copy.
    const [since, sends, payouts, ofImported] = await Promise.all([
      createFundedWallet(bursar, token, { name: 'Since', funds: '7' }),
      Promise.all(ten.map((i) => byAgent(`send ${i}`))),
      Promise.all(ten.map(payOut)),
      Promise.all(ten.map((i) => byOwner(`imported ${i}`))),
    ])
    await Promise.all(payouts.map((payout) => payoutIs(payout, 'CREATED')))
    await Promise.all([...sends, ...ofImported].map(confirmed))
    await Promise.all([
      claim(payouts[0]!, 'claimed 0'),
      claim(payouts[1]!, 'claimed 1'),
      claim(openBefore, 'claimed 100'),
    ])
    await bursar.api(`/escrow/${payouts[2]!.id}/reclaim`, { token, key: randomUUID(), body: {} })
    await payoutIs(payouts[2]!, 'RECLAIMED')
    const madeSince = generatePrivateKey()
    const keyless = await importWallet(token, '5', madeSince)
    const shortLived = await importWallet(token, '2')
    const fromShortLived = await byOwner('short-lived', shortLived.id)
    await confirmed(fromShortLived)
    await bursar.api(`/wallets/${shortLived.id}`, { token, method: 'DELETE' })
    await bursar.api(`/agents/${sender.agents[1]!.id}`, { token, method: 'DELETE' })
    // This payment never reaches D1.
    const unreported = await byAgent('unreported')
    await confirmed(unreported)
    const inFlight = await byAgent('in flight')

    expect((await ops(userId, 'freeze', ['dry-run'])).step).toBe('open')
    expect(await ops(userId, 'freeze')).toMatchObject({
      step: 'frozen',
      doing: expect.stringContaining('has everything'),
    })
    expect((await ops(userId, 'continue', ['once'])).step, 'not put back yet').toBe('frozen')
    const refused = await pay({ type: 'address', address: addressFor('refused') }, randomUUID())
    expect([refused.status, refused.body.code]).toEqual([503, 'account_restoring'])
    const earlierTime = new Date(Date.now() - minuteMs).toISOString()
    await expect(ops(userId, 'back', [], { to: earlierTime }), 'workerd has no backups').rejects.toThrow(
      'was not put back',
    )
    await stack.stopWorker()
    await putBack()
    // As if it had never reached History.
    withHistory(stack.stateDir, userId, (db) =>
      expect(db.prepare('DELETE FROM transaction_view WHERE id = ?').run(unreported.id).changes).toBe(1),
    )
    await stack.restartWorker()
    const again = await pay({ type: 'address', address: sends[0]!.to }, sends[0]!.key)
    expect([again.status, again.body.code], 'only D1 knows the payment').toEqual([503, 'account_restoring'])
    await expect(ops(userId, 'freeze'), 'as if its reply had been lost').rejects.toThrow('was put back')
    await expect(ops(userId, 'unfreeze')).rejects.toThrow('was put back')

    const dry = await ops(userId, 'continue', ['dry-run'])
    expect(dry.counts).toMatchObject({ 'payments accepted since': 32, 'wallets made since': 2 })
    expect((await ops(userId, 'continue', ['once'])).step).toBe('waiting')
    for (const rpc of Object.values(stack.rpc)) {
      await new RpcClient(rpc).request('evm_increaseTime', [400])
      await new RpcClient(rpc).request('anvil_mine', ['0x6'])
    }
    // Each kill comes later in the restore.
    for (let kill = 1; kill <= kills; kill++) {
      const killed = ops(userId, 'continue', ['once']).catch(() => null)
      await pause((300 / kills) * kill)
      await stack.killWorker()
      await killed
      await stack.restartWorker()
    }
    const ended = (options: Record<string, string> = {}) =>
      until('the end of the restore', async () => {
        const reply = await ops(userId, 'continue', ['once'], options)
        return reply.step !== 'waiting' && reply.step !== 'importing' && reply
      })
    const stopped = await ended()
    expect(stopped).toMatchObject({ step: 'unexplained', unexplained: [{ what: 'transfer' }] })
    expect(stopped.unexplained[0]!.detail.toLowerCase()).toContain(`1 usdc to ${unreported.to.toLowerCase()}`)
    expect((await pay({ type: 'address', address: unreported.to }, unreported.key)).body.code).toBe('account_restoring')
    expect((await ended({ accept: stopped.list! })).step).toBe('done')

    // The ledger equals the chain, and each recipient was paid once.
    const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
    const balances = () =>
      Promise.all([...sends, ...ofImported, ...earlier].map(({ to }) => chain.balanceOf(to as never)))
    expect(await balances()).toEqual([...sends, ...ofImported, ...earlier].map(() => usdc('1')))
    await until('the account to be open', async () => (await bursar.call('/api/wallets', { token })).status === 200)
    for (const wallet of [sender.wallet, imported, since, keyless]) {
      const books = await get<WalletLedger>(`/wallets/${wallet.id}/ledger`)
      expect(usdc(books.available), wallet.name ?? '').toBe(await chain.balanceOf(wallet.address as never))
      expect(books).toMatchObject({ held: '0' })
    }
    expect(((await get<Escrow[]>('/escrow/list')) as unknown as { escrows: Escrow[] }).escrows.length).toBe(11)
    const statuses = await Promise.all([...payouts, openBefore].map(statusOf))
    expect(statuses).toEqual(['WITHDRAWN', 'WITHDRAWN', 'RECLAIMED', ...Array(7).fill('CREATED'), 'WITHDRAWN'])

    // Idempotency keys return the payments they made, and refuse different content.
    for (const { id, key, to } of ofImported) {
      const body = { walletId: imported.id, toAddress: to, amount: '1' }
      expect(await bursar.api('/transactions/send', { token, key, body })).toMatchObject({ id })
    }
    const replayed = await bursar.api<CreateEscrowReply>('/escrow/create', {
      token,
      key: payouts[5]!.key,
      body: payoutBody(5),
    })
    expect(replayed).toMatchObject({ id: payouts[5]!.id, claimUrl: payouts[5]!.claimUrl })
    const paused = await pay({ type: 'address', address: sends[0]!.to }, sends[0]!.key)
    expect([paused.status, paused.body.code], 'the account’s agents are paused').toEqual([403, 'agent_disabled'])
    const resume = (path: string, body: object) => bursar.api(`${path}/resume`, { token, body })
    await expect(resume('/account', {})).rejects.toThrow('password_required')
    const { password } = sender
    await resume('/account', { password })
    const still = await pay({ type: 'address', address: sends[0]!.to }, sends[0]!.key)
    expect(still.status, 'each agent is paused as well').toBe(403)
    await resume(`/agents/${sender.agents[0]!.id}`, { password })
    const unlimited = { passwordAbove: null, password }
    await bursar.api('/approval-settings', { token, method: 'PUT', body: unlimited })
    for (const { id, key, to } of [...sends, earlier[0]!]) {
      const { status, body } = await pay({ type: 'address', address: to }, key)
      expect([status, body.id], JSON.stringify(body)).toEqual([201, id])
    }
    const flown = await pay({ type: 'address', address: inFlight.to }, inFlight.key)
    expect(['CONFIRMED', 'FAILED']).toContain(flown.body.status)
    expect(await chain.balanceOf(inFlight.to as never)).toBe(flown.body.status === 'CONFIRMED' ? usdc('1') : 0n)
    const other = await pay({ type: 'address', address: addressFor('other') }, sends[0]!.key)
    expect(other.body.code).toBe('idempotency_key_reused')
    expect(await balances(), 'still paid once').toEqual([...sends, ...ofImported, ...earlier].map(() => usdc('1')))

    await confirmed(await byOwner('imported afterwards'))
    expect(await get<Transaction>(`/transactions/${fromShortLived.id}`)).toMatchObject({ status: 'CONFIRMED' })
    expect((await get<Wallet[]>('/wallets')).map(({ id }) => id)).not.toContain(shortLived.id)

    // Open payouts can be claimed with the codes that were sent before the restore, and reclaimed.
    await Promise.all([3, 4, 5].map((i) => claim(payouts[i]!, `later ${i}`)))
    await bursar.api(`/escrow/${payouts[6]!.id}/reclaim`, { token, key: randomUUID(), body: {} })
    await payoutIs(payouts[6]!, 'RECLAIMED')

    const gone = await bursar.call<{ code: string }>('/v1/context', { token: sender.agents[1]!.apiKey })
    expect([gone.status, gone.body.code], 'an agent that was deleted since').toEqual([401, 'unauthenticated'])
    const group = (await get<PolicyGroup[]>('/policy-groups')).find(({ id }) => id === sender.groupId)!
    const paid = (await Promise.all([...sends, inFlight].map(({ to }) => chain.balanceOf(to as never)))).filter(Boolean)
    expect(usdc(String(group.currentSpent)), 'the budget counts all payments').toBe(BigInt(paid.length + 1) * usdc('1'))

    // Nothing else holds an imported key, so the user imports it again.
    const held = (await get<Wallet[]>('/wallets')).find(({ id }) => id === keyless.id)!
    expect(held).toMatchObject({ paused: true })
    await bursar.api(`/wallets/${keyless.id}`, { token, method: 'DELETE' })
    await importWallet(token, '5', madeSince, false)

    // After a rotation to a new session key, the wallet pays as before.
    const path = `/wallets/smart-wallets-v2/${sender.wallet.id}/rotate-session-key`
    await bursar.api(path, { token, key: randomUUID(), body: { spendingLimit: '500000000', ttlHours: 240 } })
    await until('a new session', async () => {
      const wallet = (await get<Wallet[]>('/wallets')).find(({ id }) => id === sender.wallet.id)!
      return wallet.sessionKeyAddress !== sender.wallet.sessionKeyAddress
    })
    await confirmed(await byAgent('afterwards'))
  },
  180_000 + kills * 5_000,
)

async function importWallet(
  token: string,
  funds: string,
  privateKey = generatePrivateKey(),
  isNew = true,
): Promise<Wallet> {
  const address = privateKeyToAddress(privateKey)
  if (isNew) await stack.bursar.plain('/dev/faucet', { body: { address, amount: funds } })
  const body = { address, chain: 'base', privateKey, masterPassword: 'a long master password' }
  const { id } = await stack.bursar.api<Wallet>('/wallets/with-private-key', { token, key: randomUUID(), body })
  return until('the imported wallet’s money', async () => {
    const wallet = (await stack.bursar.api<Wallet[]>('/wallets', { token })).find((each) => each.id === id)
    return wallet?.usdcBalance?.balance === funds && wallet
  })
}
