/**
 * Rolls one account's Treasury back with a copy of its file, with payments of each kind and in each unsigned state, and kills
 * the Worker during the restore. RESTORE_COUNT payments of each, RESTORE_KILLS kills.
 *
 * @module-tag all
 */
import { randomUUID } from 'node:crypto'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApprovalList } from '#schemas/approval.ts'
import type { CreateEscrowReply, Escrow } from '#schemas/escrow.ts'
import type { UserRestoreReply } from '#schemas/ops.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Wallet, WalletLedger } from '#schemas/wallet.ts'
import { until } from '../../local/client.ts'
import { commands } from '../../scripts/ops/commands.ts'
import { execute } from '../../scripts/ops/run.ts'
import { createFaultyStack, type FaultyStack } from '../chaos/faultyStack.ts'
import { payOnce } from '../support/agentCalls.ts'
import { usdc } from '../support/build.ts'
import { copyTreasury } from '../support/objectFiles.ts'
import { patient } from '../support/patience.ts'
import { addressFor, chainReader, createSender, pause, rpcOf } from '../support/stackClient.ts'

let faulty: FaultyStack
let stack: FaultyStack['stack']
beforeAll(async () => {
  faulty = await createFaultyStack()
  stack = faulty.stack
})
afterAll(() => faulty?.stop())

const kills = Number(process.env.RESTORE_KILLS ?? 2)
const each = Array.from({ length: Number(process.env.RESTORE_COUNT ?? 2) }, (_, i) => i)
const some = <T>(work: (i: number) => Promise<T>) => Promise.all(each.map(work))

const ops = async (name: string, args: string[], options: Record<string, string> = {}, switches: string[] = []) =>
  (
    await execute(
      commands[name]!,
      { args, reason: 'its object was lost', options, switches },
      { env: { BURSAR_URL: stack.url }, fetch },
    )
  ).data as UserRestoreReply

type Paid = { id: string; key: string; to: string; amount: string; status: string }

test(
  'an account that is rolled back pays nothing twice, exceeds no budget and answers old keys @restore-11',
  async () => {
    const { bursar } = stack
    const sender = await createSender(stack, { funds: '400', limit: 250 })
    const { password, groupId } = sender
    const token = await sender.token()
    const agentId = sender.agents[0]!.id
    let { apiKey } = sender.agents[0]!
    const userId = String((JSON.parse(atob(token.split('.')[1]!)) as { sub: string }).sub)
    const imported = await importWallet(token, '100')
    const get = <T>(path: string) => bursar.api<T>(path, { token })
    const group = async () => (await get<PolicyGroup[]>('/policy-groups')).find(({ id }) => id === groupId)!
    const rpc = rpcOf(stack.rpc[8453])

    const send = (to: string, amount: string, key: string) =>
      payOnce<Paid & { code?: string }>(bursar, apiKey, { to, amount, idempotencyKey: key })
    const byAgent = async (name: string, amount = '1'): Promise<Paid> => {
      const [key, to] = [randomUUID(), addressFor(name)]
      const { status, body } = await send(to, amount, key)
      expect([201, 202], JSON.stringify(body)).toContain(status)
      return { ...body, key, to, amount }
    }
    const ownerBody = (to: string) => ({ walletId: imported.id, toAddress: to, amount: '1' })
    const byOwner = async (name: string): Promise<Paid> => {
      const [key, to] = [randomUUID(), addressFor(name)]
      const { id } = await bursar.api<{ id: string }>('/transactions/send', { token, key, body: ownerBody(to) })
      return { id, key, to, amount: '1', status: '' }
    }
    const payoutBody = (i: number) => ({
      sourceWalletId: sender.wallet.id,
      amount: '2',
      recipientEmail: `restored${i}@bursar.test`,
      expiresInDays: 7,
    })
    const payOut = async (i: number) => {
      const key = randomUUID()
      return { ...(await bursar.api<CreateEscrowReply>('/escrow/create', { token, key, body: payoutBody(i) })), key }
    }
    const statusOf = async ({ id }: { id: string }) => (await get<Escrow>(`/escrow/${id}`)).status
    const payoutIs = (payout: { id: string }, status: string) =>
      until(`payout ${status}`, async () => (await statusOf(payout)) === status)
    const confirmed = ({ id }: { id: string }) =>
      until('confirmed', async () => (await get<Transaction>(`/transactions/${id}`)).status === 'CONFIRMED')
    const claim = async (payout: CreateEscrowReply, passcode: string) => {
      const accessToken = new URL(payout.claimUrl).pathname.split('/').at(-1)!
      await bursar.claim(accessToken, passcode, addressFor(`claims ${payout.id}`))
    }

    // In the copy: a payout that can be claimed, and payments in the three states that are not settled.
    const openBefore = await payOut(100)
    await payoutIs(openBefore, 'CREATED')
    const { name, scopes } = await group()
    await bursar.api(`/policy-groups/${groupId}`, { token, method: 'PUT', body: { name, scopes, approveAbove: '5' } })
    await rpc('evm_setIntervalMining', 0)
    const processing = await some((i) => byAgent(`processing ${i}`))
    // Without a node nothing can be signed.
    faulty.node.setFault({ mode: 'down' })
    await stack.restartWorker()
    const queued = await some((i) => byAgent(`queued ${i}`))
    const pending = await some((i) => byAgent(`pending ${i}`, '6'))
    expect(new Set(processing.map(({ status }) => status))).toEqual(new Set(['PROCESSING']))
    expect(new Set(queued.map(({ status }) => status))).toEqual(new Set(['QUEUED']))
    expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(['PENDING_APPROVAL']))
    await stack.stopWorker()
    const putBack = await copyTreasury(stack.stateDir, userId)
    await stack.restartWorker()

    // Lost with the object: they are signed and approved, and there are more of each kind.
    faulty.node.setFault({ mode: 'none' })
    await rpc('evm_setIntervalMining', 1)
    const approvals = (await get<ApprovalList>('/approvals?status=pending')).approvals
    for (const { id, hash } of approvals) await bursar.api(`/approvals/${id}/approve`, { token, body: { hash } })
    const [sends, payouts, ofImported] = await Promise.all([
      some((i) => byAgent(`send ${i}`)),
      some(payOut),
      some((i) => byOwner(`imported ${i}`)),
    ])
    const byKey = [...processing, ...queued, ...pending, ...sends]
    await Promise.all([...byKey, ...ofImported].map(confirmed))
    await Promise.all(payouts.map((payout) => payoutIs(payout, 'CREATED')))
    await claim(payouts[0]!, payouts[0]!.passcode!)
    await claim(openBefore, openBefore.passcode!)
    const spent = (await group()).currentSpent

    expect(await ops('restore-user', [userId, 'freeze'])).toMatchObject({
      state: 'frozen',
      doing: expect.stringContaining('History has everything'),
    })
    expect((await send(addressFor('refused'), '1', randomUUID())).body.code).toBe('account_restoring')
    await stack.stopWorker()
    await putBack()
    await stack.restartWorker()
    expect((await send(sends[0]!.to, '1', sends[0]!.key)).body.code, 'only History knows it').toBe('account_restoring')
    await expect(ops('restore-user', [userId, 'unfreeze'])).rejects.toThrow('was rolled back')
    expect((await ops('restore-user', [userId, 'back'])).state).toBe('rolled_back')

    const continueRestore = () => ops('restore-user', [userId, 'continue'], {}, ['once'])
    await until('waiting', async () => (await continueRestore()).state === 'waiting')
    for (const url of Object.values(stack.rpc)) {
      await rpcOf(url)('evm_increaseTime', 400)
      await rpcOf(url)('anvil_mine', '0x6')
    }
    // Each kill comes later in the restore.
    for (let kill = 1; kill <= kills; kill++) {
      const killed = continueRestore().catch(() => null)
      await pause((300 / kills) * kill)
      await stack.killWorker()
      await killed
      await stack.restartWorker()
    }
    await until('the account to be open', async () => {
      const { state } = await ops('restore-user', [userId, 'status'])
      if (state === 'open') return true
      const { unexplained } = await continueRestore()
      expect(unexplained).toEqual([])
      return false
    })
    await until('the account to answer', async () => (await bursar.call('/api/wallets', { token })).status === 200)

    const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
    const paid = [...byKey, ...ofImported]
    const isPaidOnce = async () =>
      expect(await Promise.all(paid.map(({ to }) => chain.balanceOf(to as never)))).toEqual(
        paid.map(({ amount }) => usdc(amount)),
      )
    await isPaidOnce()
    for (const wallet of [sender.wallet, imported]) {
      const books = await get<WalletLedger>(`/wallets/${wallet.id}/ledger`)
      expect(usdc(books.available)).toBe(await chain.balanceOf(wallet.address as never))
      expect(books).toMatchObject({ held: '0' })
    }
    expect(await group()).toMatchObject({ currentSpent: spent, held: '0', status: 'paused' })

    // The agent's key has ended; the owner gives it another one and resumes the group, with the password.
    expect((await send(sends[0]!.to, '1', sends[0]!.key)).status).toBe(401)
    await expect(bursar.api(`/policy-groups/${groupId}/resume`, { token, body: {} })).rejects.toThrow(
      'password_required',
    )
    await bursar.api(`/policy-groups/${groupId}/resume`, { token, body: { password } })
    const renewed = await bursar.api<{ apiKey: string }>(`/agents/${agentId}/regenerate-api-key`, {
      token,
      body: { password },
    })
    apiKey = renewed.apiKey
    for (const { id, key, to, amount } of byKey) {
      const { status, body } = await send(to, amount, key)
      expect([status, body.id, body.status], JSON.stringify(body)).toEqual([201, id, 'CONFIRMED'])
    }
    for (const { id, key, to } of ofImported)
      expect(await bursar.api('/transactions/send', { token, key, body: ownerBody(to) })).toMatchObject({ id })
    const replayed = await bursar.api('/escrow/create', { token, key: payouts[1]!.key, body: payoutBody(1) })
    expect(replayed).toMatchObject({ id: payouts[1]!.id, claimUrl: payouts[1]!.claimUrl })
    expect((await send(addressFor('other'), '1', sends[0]!.key)).body.code).toBe('idempotency_key_reused')
    await isPaidOnce()

    // Payouts of the lost window have a new code, which was sent; they can be claimed, or taken back.
    expect(await statusOf(payouts[0]!)).toBe('WITHDRAWN')
    expect(await statusOf(openBefore)).toBe('WITHDRAWN')
    const code = await until('the second message', async () => {
      const [, found] = await bursar.message('restored1@bursar.test', /\b(\d{6})\b/, 'a message')
      return found !== payouts[1]!.passcode && found
    })
    await expect(claim(payouts[1]!, payouts[1]!.passcode!)).rejects.toThrow()
    await claim(payouts[1]!, code)

    // No budget is exceeded: with a new session key, exactly what is left of it can be paid.
    const path = `/wallets/smart-wallets-v2/${sender.wallet.id}/rotate-session-key`
    await bursar.api(path, { token, key: randomUUID(), body: { spendingLimit: '500000000', ttlHours: 240, password } })
    await until('a new session', async () => {
      const wallet = (await get<Wallet[]>('/wallets')).find(({ id }) => id === sender.wallet.id)!
      return wallet.sessionKeyAddress !== sender.wallet.sessionKeyAddress
    })
    await bursar.api(`/policy-groups/${groupId}`, {
      token,
      method: 'PUT',
      body: { name, scopes, approveAbove: null, password },
    })
    const left = 250 - Number(spent)
    expect((await send(addressFor('too much'), String(left + 1), randomUUID())).status).toBe(403)
    await confirmed(await byAgent('the rest', String(left)))
  },
  patient(180_000 + kills * 5_000),
)

async function importWallet(token: string, funds: string): Promise<Wallet> {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  await stack.bursar.plain('/dev/faucet', { body: { address, amount: funds } })
  const body = { address, chain: 'base', privateKey, masterPassword: 'a long master password' }
  const { id } = await stack.bursar.api<Wallet>('/wallets/with-private-key', { token, key: randomUUID(), body })
  return until('the imported wallet’s money', async () => {
    const wallet = (await stack.bursar.api<Wallet[]>('/wallets', { token })).find((one) => one.id === id)
    return wallet?.usdcBalance?.balance === funds && wallet
  })
}
