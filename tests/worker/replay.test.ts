import { expect, test } from 'vitest'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'

const api = await createTestApp()

test('a replay says what changed rules would have decided, and changes nothing @rules-33', async () => {
  const own = await createAccountFixture(api)
  const call = (method: string, path: string, body?: unknown, token = own.token, key = 'k') =>
    api.call(method, path, { token, ...(body !== undefined && { body }), headers: { 'idempotency-key': key } })
  const path = `/api/policy-groups/${own.group}`
  const scopes = ['address_payments:write']
  expect((await call('PUT', path, { name: 'G', scopes, maxPayment: '5' })).status).toBe(200)
  const to = { type: 'address', address: '0x52908400098527886E0F7030069857D2E4169EE7' }
  const pay = (amount: string) => call('POST', '/v1/payments', { to, amount }, own.apiKey, `pay-${amount}`)
  const ids: string[] = []
  for (const amount of ['1', '2', '3', '6']) {
    const { json } = await pay(amount)
    ids.push(json.id ?? json.payment_id)
  }
  const before = (await call('GET', path)).json.data
  const replay = async (candidate: unknown, days = 30) =>
    (await call('POST', `${path}/replay`, { candidate, days })).json.data
  expect(await replay({})).toEqual({
    decisions: 4,
    before: { allowed: 3, refused: 1, asked: 0 },
    after: { allowed: 3, refused: 1, asked: 0 },
    changed: [],
    notCovered: [],
  })
  expect(await replay({ maxPayment: null, rollingBudget: { hours: 24, limit: '9' }, approveAbove: '2' })).toEqual({
    decisions: 4,
    before: { allowed: 3, refused: 1, asked: 0 },
    after: { allowed: 2, refused: 0, asked: 2 },
    changed: [
      {
        paymentId: ids[3],
        at: expect.any(String),
        amount: '6',
        before: 'refused',
        after: 'asked',
        rule: 'above_limit',
      },
      {
        paymentId: ids[2],
        at: expect.any(String),
        amount: '3',
        before: 'allowed',
        after: 'asked',
        rule: 'above_limit',
      },
    ],
    notCovered: [],
  })
  expect(await replay({ scopes: [], spendLimit: 1 })).toMatchObject({
    after: { allowed: 0, refused: 4, asked: 0 },
    notCovered: ['The total budget is not covered.'],
  })
  expect((await call('GET', path)).json.data).toEqual(before)
  for (const [body, field] of [
    [{ candidate: { hours: { zone: 'Mars' } } }, 'candidate.hours.days'],
    [{ candidate: { maxSpeed: 1 } }, 'candidate'],
    [{ candidate: {}, days: 31 }, 'days'],
    [{ candidate: {}, days: 0 }, 'days'],
    [{}, 'candidate'],
  ] as const)
    expect(await call('POST', `${path}/replay`, body)).toMatchObject({ status: 400, json: { field } })
  const other = await createAccountFixture(api)
  expect((await call('POST', `${path}/replay`, { candidate: {} }, other.token)).status).toBe(404)
})
