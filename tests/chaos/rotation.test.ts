/**
 * Kills workerd at any step of a rotation, with payments in flight. Every rotation takes effect once, as the wallet
 * contract counts them, no payment is lost or made twice, and we can sign with the session that is in force.
 *
 * @module-tag all
 */
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { RotateReply, SessionKeyInfo } from '#schemas/sessionKey.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { until } from '../../local/client.ts'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import type { Address } from '../../worker/chain/types.ts'
import { usdc } from '../support/build.ts'
import { patient, within } from '../support/patience.ts'
import { randomFrom } from '../support/random.ts'
import { addressFor, chainReader, createSender, definite, pause } from '../support/stackClient.ts'
import { booksAtRest } from './checker.ts'
import { createFaultyStack, logProblems } from './faultyStack.ts'

const rotations = Number(process.env.CHAOS_ROTATIONS ?? 4)
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32))
const paymentsEach = 3

const { stack, node, stop } = await createFaultyStack()
afterAll(stop)

test(`each of ${rotations} rotations takes effect once although workerd is killed during each @chaos-5`, {
  ...within(120_000 + rotations * 30_000),
}, async () => {
  console.log(`CHAOS_SEED=${seed} CHAOS_ROTATIONS=${rotations}`)
  const random = randomFrom(seed)
  const { bursar } = stack
  const sender = await createSender(stack, { funds: '100', limit: 50 })
  const path = `/api/wallets/smart-wallets-v2/${sender.wallet.id}`
  const ask = <T>(call: string, key: string, body: unknown) =>
    definite<{ success: boolean; data: T; error?: string }>(bursar, call, async () => ({
      method: 'POST',
      token: await sender.token(),
      key,
      body,
    }))
  const info = async () =>
    bursar.api<SessionKeyInfo>(`${path.slice('/api'.length)}/session-key`, { token: await sender.token() })

  const payments: { id: string; to: Address }[] = []
  const pay = async () => {
    const to = addressFor(randomUUID())
    const body = { walletId: sender.wallet.id, toAddress: to, amount: '0.5' }
    const { status, body: answer } = await ask<{ id: string }>('/api/transactions/send', randomUUID(), body)
    expect(status, JSON.stringify(answer)).toBe(201)
    payments.push({ id: answer.data.id, to })
  }

  for (let turn = 1; turn <= rotations; turn++) {
    const early = Array.from({ length: paymentsEach }, pay)
    const key = randomUUID()
    const grant = { spendingLimit: String(1_000_000_000 + turn), ttlHours: 24 }
    const rotating = ask<RotateReply>(`${path}/rotate-session-key`, key, grant)
    await pause(random.int(0, 2_500))
    if (random.chance(40)) node.setFault({ mode: random.pick(['swallow', 'slow', 'down'] as const), delayMs: 700 })
    await stack.killWorker()
    node.setFault({ mode: 'none' })
    await stack.restartWorker()
    const late = Array.from({ length: paymentsEach }, pay)
    const { status, body } = await rotating
    await Promise.all([...early, ...late])
    expect(status, JSON.stringify(body)).toBe(202)
    // Repeating the request with its key returns the same rotation.
    const again = await ask<RotateReply>(`${path}/rotate-session-key`, key, grant)
    expect(again.body.data.actionId).toBe(body.data.actionId)
    const ended = await until(
      `the end of rotation ${turn}`,
      async () => {
        const now = await info().catch(() => null)
        const action = now?.actions.find(({ id }) => id === body.data.actionId)
        return action?.endedAt && action
      },
      patient(60_000),
    )
    expect(ended).toMatchObject({ status: 'done', error: null })
  }

  for (const { id } of payments)
    await until(`payment ${id}`, async () => {
      const { status } = await bursar.api<Transaction>(`/transactions/${id}`, { token: await sender.token() })
      return status === 'CONFIRMED'
    })
  const books = await booksAtRest(bursar, sender, patient(60_000))
  expect(books).toBeDefined()
  const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
  const transfers = await chain.transfers()
  for (const { to } of payments)
    expect(transfers.filter((transfer) => transfer.to === to).map(({ value }) => value)).toEqual([usdc('0.5')])

  const state = await chain.client.readContract({
    address: sender.wallet.address as Address,
    abi: agentWalletAbi,
    functionName: 'state',
  })
  const now = await info()
  expect(state.epoch, 'one new session per rotation').toBe(1 + rotations)
  expect(now).toMatchObject({ nonce: 1 + rotations, isActive: true, heldAmount: '0' })
  expect(now.address.toLowerCase()).toBe(state.sessionKey.toLowerCase())
  expect(now.actions.filter(({ endedAt }) => endedAt === null)).toEqual([])
  expect(logProblems(stack)).toEqual([])
})
