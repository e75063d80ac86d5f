import { expect, test } from 'vitest'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'

const api = await createTestApp()

test('an agent’s first call already includes the wallet’s first deposit', async () => {
  const [rich, poor] = [await createAccountFixture(api), await createAccountFixture(api, { funds: 0n })]
  const most = async ({ apiKey }: { apiKey: string }) =>
    (await api.call('GET', '/v1/context', { token: apiKey })).json.max_allowed_now
  expect(await most(rich)).toBe('20')
  expect(await most(poor)).toBe('0')
})

test('an agent reads the rules as sentences and values, and what it could pay without asking @rules-27', async () => {
  const own = await createAccountFixture(api)
  const call = (method: string, path: string, body?: unknown, token = own.token) =>
    api.call(method, path, { token, body, headers: { 'idempotency-key': 'rules-27' } })
  const limits = {
    rollingBudget: { hours: 24, limit: '12.5' },
    maxPayments: { per: 'day', count: 1, whenExceeded: 'ask' },
    approveAbove: '5',
  }
  const edited = await call('PUT', `/api/policy-groups/${own.group}`, {
    name: 'Group',
    scopes: ['address_payments:write'],
    ...limits,
  })
  expect(edited.status, edited.text).toBe(200)
  const context = async () => (await call('GET', '/v1/context', undefined, own.apiKey)).json
  expect(await context()).toMatchObject({
    max_allowed_now: '12.5',
    max_without_asking: '5',
    rules: [
      {
        field: 'rollingBudget',
        names: ['group.rolling_budget'],
        sentence: 'At most 12.50 USDC within 24 hours; 12.50 USDC is left now.',
        value: { hours: 24, limit: '12.5' },
      },
      {
        field: 'maxPayments',
        sentence: 'At most 1 payment a day; 0 made. Others need approval.',
        value: limits.maxPayments,
        resets_at: expect.stringMatching(/T00:00:00.000Z$/),
      },
      {
        field: 'approveAbove',
        names: ['above_limit'],
        sentence: 'Payments above 5.00 USDC need approval.',
        value: '5',
      },
    ],
  })
  const to = { type: 'address', address: '0x52908400098527886E0F7030069857D2E4169EE7' }
  const paid = await call('POST', '/v1/payments', { to, amount: '2' }, own.apiKey)
  expect(paid.status, paid.text).toBe(201)
  expect(await context()).toMatchObject({ max_allowed_now: '10.5', max_without_asking: '0' })
  const checked = await call('POST', '/v1/payments/check', { to, amount: '2' }, own.apiKey)
  expect(checked.json).toMatchObject({
    allowed: true,
    approval_required: true,
    approval_rules: ['group.max_payments'],
    max_without_asking: '0',
  })
})
