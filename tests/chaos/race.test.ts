/**
 * Parallel payments against one budget and with one key, over REST and MCP, also while the Worker is killed.
 *
 * @module-tag all
 */
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { Approval } from '#schemas/approval.ts'
import type { Payment } from '#schemas/payment.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { WalletLedger } from '#schemas/wallet.ts'
import { until } from '../../local/client.ts'
import { payOnce, type Reply } from '../support/agentCalls.ts'
import { usdc } from '../support/build.ts'
import { callTool, protocols } from '../support/mcpOverHttp.ts'
import { addressFor, chainReader, createSender, definiteAnswer, type Sender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const attempts = 200
const budget = 50

/** The body of an accepted payment or of a refusal. */
type Body = { id: string; code: string; replayed?: boolean }

const stack = await createTestStack({ lean: true })
afterAll(() => stack.stop())

const chain = () => chainReader(stack.rpc[8453], stack.contracts[8453].usdc)

/** Makes one payment by one agent, repeated until there is a definite reply, over REST and both MCP protocols in turn. */
function pay(agent: { apiKey: string }, to: string, amount: string, key: string = randomUUID()) {
  const { bursar } = stack
  const token = agent.apiKey
  const args = { address: to, amount, idempotency_key: key }
  const ways = [
    () => payOnce<Body>(bursar, token, { to, amount, idempotencyKey: key }),
    ...protocols.map((each) => () => callTool<Body>(bursar.url, each, { token, name: 'pay_address', args })),
  ]
  return definiteAnswer('the payment', () => ways[++attempt % ways.length]!())
}
let attempt = 0

/** Returns the group and the wallet's books once nothing is held. */
async function atRest(sender: Sender) {
  return until('nothing held', async () => {
    const token = await sender.token()
    const books = await stack.bursar.api<WalletLedger>(`/wallets/${sender.wallet.id}/ledger`, { token })
    const [group] = await stack.bursar.api<PolicyGroup[]>('/policy-groups', { token })
    return books.held === '0' && group?.held === '0' && { books, group }
  })
}

/** `attempts` payments of 1 USDC from four agents of one group with `budget`; `during` gets the number of replies so far. */
async function race(during: (answered: number) => void = () => {}) {
  const sender = await createSender(stack, { funds: '300', limit: budget, agents: 4 })
  const merchant = addressFor(`merchant ${sender.wallet.id}`)
  let answered = 0
  const answers = await Promise.all(
    Array.from({ length: attempts }, async (_, i) => {
      const answer = await pay(sender.agents[i % 4]!, merchant, '1')
      during(++answered)
      return answer
    }),
  )
  return { sender, merchant, answers }
}

async function expectExactlyTheBudget(sender: Sender, merchant: string, answers: Reply<Body>[]) {
  const accepted = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ status }) => status !== 201)
  expect(accepted.length, 'accepted').toBe(budget)
  expect(new Set(accepted.map(({ body }) => body.id)).size, 'different payments').toBe(budget)
  for (const { status, body } of refused) expect([status, body.code]).toEqual([403, 'budget_exceeded'])

  const { books, group } = await atRest(sender)
  expect(group).toMatchObject({ spendLimitUsdc: '50', currentSpent: '50', held: '0', remaining: '0' })
  expect(books).toMatchObject({ deposits: '300', out: '50', spent: '50', available: '250', chainBalance: '250' })

  const moved = (await chain().transfers()).filter(({ to }) => to === merchant)
  expect(moved.length, 'Transfer logs').toBe(budget)
  expect(new Set(moved.map(({ from, value }) => `${from} ${value}`))).toEqual(
    new Set([`${sender.wallet.address} ${usdc('1')}`]),
  )
  const nonces = await chain().nonces(sender.wallet.address as `0x${string}`)
  expect([nonces.length, new Set(nonces).size], 'nonces used once').toEqual([budget, budget])
  expect(await chain().balanceOf(merchant as `0x${string}`)).toBe(usdc('50'))
}

test(`exactly ${budget} of ${attempts} parallel payments of 1 USDC pass a budget of ${budget} USDC @chaos-2`, async () => {
  const { sender, merchant, answers } = await race()
  await expectExactlyTheBudget(sender, merchant, answers)
})

test('parallel payments use exactly their budget although the Worker is killed twice @chaos-3', async () => {
  let kills = 0
  let restarting = Promise.resolve()
  const kill = () => {
    kills += 1
    restarting = restarting.then(async () => {
      await stack.killWorker()
      await stack.restartWorker()
    })
  }
  const { sender, merchant, answers } = await race((answered) => {
    if (answered === 20 || answered === 110) kill()
  })
  await restarting
  expect(kills).toBe(2)
  await expectExactlyTheBudget(sender, merchant, answers)
})

test('50 parallel calls with one key make one payment, and different content under that key is refused @chaos-4', async () => {
  const sender = await createSender(stack, { funds: '100', limit: budget })
  const [agent] = sender.agents
  const to = addressFor(`once ${sender.wallet.id}`)
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 50 }, () => pay(agent!, to, '1.5', key)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter(({ body }) => !body.replayed).length, 'first').toBe(1)

  const other = await pay(agent!, to, '1.6', key)
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  const { books, group } = await atRest(sender)
  expect([group.currentSpent, books.out, books.chainBalance]).toEqual(['1.5', '1.5', '98.5'])
  expect((await chain().transfers()).filter((transfer) => transfer.to === to).map(({ value }) => value)).toEqual([
    usdc('1.5'),
  ])
})

test('four approvals with 50 parallel decisions each get one outcome each although the Worker is killed twice @chaos-9', async () => {
  const { bursar } = stack
  const sender = await createSender(stack, { funds: '100', limit: budget })
  const [agent] = sender.agents
  const token = await sender.token()
  const [group] = await bursar.api<PolicyGroup[]>('/policy-groups', { token })
  const { name, scopes } = group!
  const rules = { name, scopes, approveAbove: '1' }
  await bursar.api(`/policy-groups/${group!.id}`, { token, method: 'PUT', body: rules })
  const cards = await Promise.all(
    [1, 2, 3, 4].map(async (n) => {
      const to = addressFor(`approved ${n} ${sender.wallet.id}`)
      const { status, body } = await pay(agent!, to, `1.${n}`)
      expect(status, 'asked').toBeLessThan(300)
      const { id, approval } = body as unknown as Payment
      const { hash } = await bursar.api<Approval>(`/approvals/${approval!.id}`, { token })
      return { to, amount: `1.${n}`, payment: id, approval: approval!.id, hash }
    }),
  )

  let answered = 0
  let restarting = Promise.resolve()
  const decide = async ({ approval, hash }: (typeof cards)[number], decision: 'approve' | 'deny') => {
    const path = `/api/approvals/${approval}/${decision}`
    const answer = await definiteAnswer(path, () =>
      bursar.call<{ data: Approval; code: string }>(path, { token, body: { hash } }),
    )
    answered += 1
    if (answered === 15 || answered === 90)
      restarting = restarting.then(async () => {
        await stack.killWorker()
        await stack.restartWorker()
      })
    return answer
  }
  const answers = await Promise.all(
    cards.map((card, n) =>
      Promise.all(Array.from({ length: 50 }, (_, i) => decide(card, (i + n) % 2 === 0 ? 'approve' : 'deny'))),
    ),
  )
  await restarting

  let approved = 0n
  for (const [n, card] of cards.entries()) {
    const now = await bursar.api<Approval>(`/approvals/${card.approval}`, { token })
    expect(['APPROVED', 'DENIED']).toContain(now.status)
    expect(now.decidedBy).toMatchObject({ id: expect.any(String) })
    for (const { status, body } of answers[n]!)
      if (status === 200) expect(body.data.status).toBe(now.status)
      else expect([status, body.code]).toEqual([409, 'conflict'])
    if (now.status === 'APPROVED') approved += usdc(card.amount)
  }
  const { books } = await atRest(sender)
  expect(usdc(books.out)).toBe(approved)
  const moved = await chain().transfers()
  for (const card of cards) {
    const { status } = await bursar.api<Approval>(`/approvals/${card.approval}`, { token })
    const paid = moved.filter(({ to }) => to === card.to).map(({ value }) => value)
    expect(paid, card.payment).toEqual(status === 'APPROVED' ? [usdc(card.amount)] : [])
  }
})
