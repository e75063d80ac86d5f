/** The SDK with the real API: lost replies, refusals, approvals and lists. tests/domain/sdk.test.ts has what a stack cannot reply. */
import { expect, test } from 'vitest'
import { Bursar, BursarOutcomeUnknown, BursarRefusal, BursarSignedOut, type Payment } from '#sdk'
import { addressFor, chainReader } from '../support/stackClient.ts'
import { createAgent, bursar as owner, rpcUrl, url, usdc } from './gateway.ts'

const agent = await createAgent({ scopes: ['address_payments:write', 'email_payments:write'] })
const bursar = new Bursar({ url, apiKey: agent.apiKey })
const chain = chainReader(rpcUrl, usdc)

const listed = async (reference: string) => {
  const found: Payment[] = []
  for await (const payment of bursar.payments.list({ reference, pageSize: 1 })) found.push(payment)
  return found
}

test('a payment whose replies are lost at every step is paid once @sdk-31', async () => {
  const to = addressFor('lost replies')
  let calls = 0
  const lossy = new Bursar({
    url,
    apiKey: agent.apiKey,
    // Loses every second reply, after the request has been processed.
    fetch: async (request) => {
      const reply = await fetch(request)
      if (++calls % 2 === 1) throw new TypeError('fetch failed')
      return reply
    },
  })
  const paid = await lossy.pay({ to, amount: '0.25', reference: 'lost', wait: 'sent' })
  expect(paid).toMatchObject({ status: 'CONFIRMED', replayed: true })
  expect(calls).toBeGreaterThan(3)
  expect(await listed('lost')).toHaveLength(1)
  expect(await chain.balanceOf(to)).toBe(250_000n)
})

test('a call that ended as unknown is repeated under the key of its error @sdk-32', async () => {
  const to = addressFor('unknown')
  const cut = new Bursar({
    url,
    apiKey: agent.apiKey,
    retryForMs: 0,
    fetch: async (request) => {
      await fetch(request)
      throw new TypeError('fetch failed')
    },
  })
  const error = await cut.pay({ to, amount: '0.5', reference: 'unknown' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BursarOutcomeUnknown)
  const { idempotencyKey } = error as BursarOutcomeUnknown
  const again = await bursar.pay({ to, amount: '0.5', reference: 'unknown', idempotencyKey: idempotencyKey! })
  expect(again.replayed).toBe(true)
  expect(await listed('unknown')).toEqual([expect.objectContaining({ id: again.id })])
})

test('two calls pay twice, and a list has both, newest first @sdk-33', async () => {
  const terms = { to: addressFor('twice'), amount: '0.1', reference: 'twice' }
  const first = await bursar.pay(terms)
  const second = await bursar.pay(terms)
  expect((await listed('twice')).map(({ id }) => id)).toEqual([second.id, first.id])
})

test('a refusal has the rule and what would pass, and a check says so beforehand @sdk-34', async () => {
  const terms = { to: addressFor('refused'), amount: '500' }
  const { budget, max_allowed_now } = await bursar.context()
  const error = (await bursar.pay(terms).catch((thrown: unknown) => thrown)) as BursarRefusal
  expect(error).toBeInstanceOf(BursarRefusal)
  expect(error).toMatchObject({ code: 'budget_exceeded', rule: 'group.budget', maxAllowedNow: max_allowed_now })
  expect(error.next).toMatch(/Send less/)
  expect(await bursar.payments.get(error.paymentId!)).toMatchObject({ status: 'POLICY_REJECTED' })
  const { allowed, refusal } = await bursar.check(terms)
  expect([allowed, refusal?.rule]).toEqual([false, 'group.budget'])
  expect(budget.remaining).toBe(max_allowed_now)
})

test('OAuth client credentials pay too, and a payout to an email address is sent once it can be claimed @sdk-35', async () => {
  const { clientId, clientSecret } = agent
  const client = new Bursar({ url, clientId, clientSecret })
  const paid = await client.pay({ to: 'ada@bursar.test', amount: '0.2', wait: 'sent' })
  expect(paid).toMatchObject({ status: 'PENDING', to: { type: 'email', email: 'ada@bursar.test' } })
})

test('the owner is waited for, and an aborted wait names the payment; a cancelled one ends the wait @sdk-36', async () => {
  const { sender } = agent
  const body = { name: 'Group', scopes: ['address_payments:write'], approveAbove: '5' }
  await owner.api(`/policy-groups/${sender.groupId}`, { token: await sender.token(), method: 'PUT', body })
  const terms = { to: addressFor('asked'), amount: '6', reason: 'A test' }
  const waiting = bursar.pay({ ...terms, wait: 'sent', signal: AbortSignal.timeout(1_000) })
  const error = (await waiting.catch((thrown: unknown) => thrown)) as BursarOutcomeUnknown
  expect(error).toMatchObject({ name: 'BursarOutcomeUnknown', payment: { status: 'PENDING_APPROVAL' } })
  const asked = await bursar.pay({ ...terms, idempotencyKey: error.idempotencyKey! })
  expect(asked).toMatchObject({ id: error.payment!.id, status: 'PENDING_APPROVAL', replayed: true })
  await bursar.payments.cancel(asked.id)
  await expect(bursar.payments.wait(asked.id)).rejects.toMatchObject({ payment: { status: 'CANCELLED' } })
  const request = await bursar.budgetRequests.create({ amount: '50', reason: 'More invoices' })
  expect(await bursar.budgetRequests.get(request.id)).toMatchObject({ status: 'PENDING_APPROVAL', amount: '50' })
})

test('a deleted agent is signed out at its next call @sdk-37', async () => {
  const { sender } = agent
  await owner.api(`/agents/${agent.id}`, { token: await sender.token(), method: 'DELETE' })
  await expect(bursar.context()).rejects.toBeInstanceOf(BursarSignedOut)
  const { clientId, clientSecret } = agent
  await expect(new Bursar({ url, clientId, clientSecret }).context()).rejects.toBeInstanceOf(BursarSignedOut)
})
