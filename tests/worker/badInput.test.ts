import { describe, expect, test } from 'vitest'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { party } from '../support/workerChain.ts'
import { login, signedUp } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api)

const amounts = [
  '-1',
  '0',
  '0.0',
  '0.0000001',
  '1e3',
  '1.',
  '.5',
  '',
  ' ',
  '1,5',
  '١',
  '１２',
  '0x1',
  'NaN',
  'Infinity',
  '99999999999999999999',
  '1000000001',
  5,
  1.5,
  null,
  true,
  {},
  ['1'],
]
const addresses = [
  '',
  '0x',
  'vitalik.eth',
  '0x123',
  `0x${'g'.repeat(40)}`,
  '0x52908400098527886E0F7030069857D2E4169Ee7',
  `eth:${party('x').address}`,
  `${party('x').address} ${party('y').address}`,
  42,
  null,
  'x'.repeat(10_000),
]
const to = party('recipient').address

type Case = [
  name: string,
  call: (value: unknown) => { path: string; token: string; body: Record<string, unknown> },
  field: string,
]
const amountRoutes: Case[] = [
  [
    'POST /transactions/send',
    (amount) => ({
      path: '/api/transactions/send',
      token: own.token,
      body: { walletId: own.wallet, toAddress: to, amount },
    }),
    'amount',
  ],
  [
    'POST /escrow/create',
    (amount) => ({
      path: '/api/escrow/create',
      token: own.token,
      body: { sourceWalletId: own.wallet, recipientEmail: 'a@example.com', amount },
    }),
    'amount',
  ],
  [
    'POST /v1/payments',
    (amount) => ({ path: '/v1/payments', token: own.apiKey, body: { to: { type: 'address', address: to }, amount } }),
    'amount',
  ],
]
const addressRoutes: Case[] = [
  [
    'POST /transactions/send',
    (toAddress) => ({
      path: '/api/transactions/send',
      token: own.token,
      body: { walletId: own.wallet, toAddress, amount: '1' },
    }),
    'toAddress',
  ],
  [
    'POST /v1/payments',
    (address) => ({ path: '/v1/payments', token: own.apiKey, body: { to: { type: 'address', address }, amount: '1' } }),
    'to/address',
  ],
  [
    'POST deploy',
    (ownerAddress) => ({
      path: '/api/wallets/smart-wallets-v2/deploy',
      token: own.token,
      body: { ownerAddress, chainId: 8453 },
    }),
    'ownerAddress',
  ],
]

async function refused({ path, token, body }: ReturnType<Case[1]>, field: string) {
  const answer = await api.call('POST', path, { token, body, key: `bad-${Math.random()}` })
  expect(answer.status, answer.text).toBe(400)
  const named = path.startsWith('/v1') ? answer.json.errors[0].pointer.slice(1) : answer.json.field
  expect(named, answer.text).toBe(field)
  expect((answer.json.error ?? answer.json.detail).length).toBeGreaterThan(10)
}

const emails = [
  'jörg@example.com',
  '\u202emoc.emca@gnillib.io',
  'billing@acme.com\u200b.evil.example',
  'billing@acme\u2024com.evil.example',
  'billing(acme.com)<x@evil.example>',
  'x1<victim@gmail.com>',
  '"a b"@example.com',
  'a@[127.0.0.1]',
]
const signedOut =
  (path: string, more: object): Case[1] =>
  (email) => ({ path: `/api${path}`, token: '', body: { email, ...more } })
const newPassword = 'correct horse battery'
const emailRoutes: Case[] = [
  ['POST /users', signedOut('/users', { name: 'Ada', signupPasscode: 'x' }), 'email'],
  ['POST /login', signedOut('/login', { password: 'secret' }), 'email'],
  ...(
    [
      ['signup', { password: newPassword, name: 'Ada' }],
      ['login', { password: 'secret' }],
      ['new-password', { session: 'x', newPassword }],
      ['confirm', { code: '123456' }],
      ['resend-code', {}],
      ['forgot-password', {}],
      ['reset-password', { code: '123456', newPassword }],
    ] as const
  ).map(([path, more]): Case => [`POST ${path}`, signedOut(`/auth/cognito/${path}`, more), 'email']),
  [
    'POST /contacts',
    (email) => ({ path: '/api/contacts', token: own.token, body: { name: 'Ada', address: to, email } }),
    'email',
  ],
  [
    'POST /escrow/create',
    (recipientEmail) => ({
      path: '/api/escrow/create',
      token: own.token,
      body: { sourceWalletId: own.wallet, recipientEmail, amount: '1' },
    }),
    'recipientEmail',
  ],
  [
    'POST /transactions/recipient-check',
    (recipientEmail) => ({
      path: '/api/transactions/recipient-check',
      token: own.token,
      body: { recipientEmail, amount: '1' },
    }),
    'recipientEmail',
  ],
  [
    'POST /v1/payments',
    (email) => ({ path: '/v1/payments', token: own.apiKey, body: { to: { type: 'email', email }, amount: '1' } }),
    'to/email',
  ],
]

describe('texts that people read', () => {
  const v1 = (path: string, more: object, field: string): Case => [
    `${path} ${field}`,
    (text) => ({ path, token: own.apiKey, body: { amount: '1', ...more, [field]: text } }),
    field,
  ]
  const asOwner = (path: string, more: () => object, field: string): Case => [
    `${path} ${field}`,
    (text) => ({ path: `/api${path}`, token: own.token, body: { ...more(), [field]: text } }),
    field,
  ]
  const payment = { to: { type: 'address', address: to } }
  const signup = { email: 'text@bursar.test', password: newPassword, signupPasscode: 'x' }
  const contact = () => ({ name: 'Ada', address: to })
  const send = () => ({ walletId: own.wallet, toAddress: to, amount: '1' })
  const payout = () => ({ sourceWalletId: own.wallet, recipientEmail: 'a@example.com', amount: '1' })
  const texts: Case[] = [
    asOwner('/users', () => signup, 'name'),
    asOwner('/auth/cognito/signup', () => signup, 'name'),
    asOwner('/users/complete-onboarding', () => signup, 'name'),
    asOwner('/contacts', contact, 'name'),
    asOwner('/contacts', contact, 'description'),
    asOwner('/wallets/smart-wallets-v2/deploy', () => ({ ownerAddress: to, chainId: 8453 }), 'name'),
    asOwner('/policy-groups', () => ({ walletId: own.wallet, scopes: [] }), 'name'),
    asOwner('/agents', () => ({ policyGroupId: own.group }), 'name'),
    asOwner('/agents', () => ({ policyGroupId: own.group, name: 'Agent' }), 'memo'),
    asOwner('/transactions/send', send, 'memo'),
    asOwner('/transactions/send', send, 'reference'),
    asOwner('/escrow/create', payout, 'memo'),
    asOwner('/escrow/create', payout, 'senderName'),
    v1('/v1/payments', payment, 'memo'),
    v1('/v1/payments', payment, 'reference'),
    v1('/v1/payments', payment, 'reason'),
    v1('/v1/budget-requests', {}, 'reason'),
  ]
  test.each(texts)('POST %s is refused with hidden characters @texts-3', async (_, call, field) => {
    for (const text of ['\u202egnp.exe', 'ac\u200bme', 'a\u2028b', 'a\u0085b']) await refused(call(text), field)
  })

  test('emoji and joined letters are kept as they were sent', async () => {
    const name = '👩🏽‍🚀 ❤️ می‌خواهم ශ්‍රී'
    const { json } = await own.asOwner('POST', '/contacts', { name, address: to, description: 'two\nlines' })
    expect(json.data).toMatchObject({ name, description: 'two\nlines' })
  })
})

describe('amounts', () => {
  for (const [name, call, field] of amountRoutes)
    test.each(amounts)(`${name} refuses amount %j`, (amount) => refused(call(amount), field))
})
describe('addresses', () => {
  for (const [name, call, field] of addressRoutes)
    test.each(addresses)(`${name} refuses address %j`, (address) => refused(call(address), field))
})

test.each([
  ['zero', () => `0x${'0'.repeat(40)}`],
  ['wallet’s own', () => own.walletAddress],
])('a send to the %s address is refused', async (_, address) => {
  await refused(
    {
      path: '/api/transactions/send',
      token: own.token,
      body: { walletId: own.wallet, toAddress: address(), amount: '1' },
    },
    'toAddress',
  )
})

describe('agents’ keys @rest-4', () => {
  const pay = (over: { key?: string }, amount = '1') =>
    api.call('POST', '/v1/payments', {
      token: own.apiKey,
      ...over,
      body: { to: { type: 'address', address: to }, amount },
    })

  test('a payment without Idempotency-Key is refused with instructions', async () => {
    const answer = await pay({})
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/Idempotency-Key' }] })
  })
  test.each(['', 'a b', 'ü', 'x'.repeat(256), 'a, b'])('Idempotency-Key %j is refused', async (key) => {
    expect((await pay({ key })).status).toBe(400)
  })
  test('a bare and a quoted Idempotency-Key are the same; a different body under it gets 422', async () => {
    const first = await pay({ key: 'same' })
    const quoted = await pay({ key: '"same"' })
    expect([first.status, quoted.status]).toEqual([201, 201])
    expect(quoted.json.id).toBe(first.json.id)
    expect(quoted.headers.get('idempotent-replayed')).toBe('true')
    expect(await pay({ key: 'same' }, '2')).toMatchObject({
      status: 422,
      json: { code: 'idempotency_key_reused' },
    })
  })
})

describe('refusals @rest-5', () => {
  test('a payment over the budget is refused as problem+json with rule, figures and max_allowed_now', async () => {
    const answer = await own.pay({ to: { type: 'address', address: to }, amount: '21' })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(answer.json).toMatchObject({
      code: 'budget_exceeded',
      rule: 'group.budget',
      limit: '20',
      spent: expect.any(String),
      held: expect.any(String),
      remaining: expect.any(String),
      max_allowed_now: expect.any(String),
      next: expect.any(String),
    })
  })
  test('a send over the balance is refused with its field', async () => {
    const answer = await own.send({ toAddress: to, amount: '51' })
    expect(answer).toMatchObject({ status: 422, json: { code: 'insufficient_balance', field: 'amount' } })
  })
  test('a payment that needs a scope the group lacks is refused', async () => {
    const answer = await own.pay({ to: { type: 'phone', phone: '+14155550123' }, amount: '1' })
    expect(answer).toMatchObject({ status: 403, json: { code: 'insufficient_scope', rule: 'sms_payments:write' } })
  })
  test.each([
    ['an unknown recipient field', { to: { type: 'address', address: to, extra: 1 }, amount: '1' }],
    ['an unknown top-level field', { to: { type: 'address', address: to }, amount: '1', currency: 'USDC' }],
    ['an unknown recipient type', { to: { type: 'iban', iban: 'x' }, amount: '1' }],
    ['no recipient', { amount: '1' }],
    ['a memo that is too long', { to: { type: 'address', address: to }, amount: '1', memo: 'x'.repeat(101) }],
  ])('a payment with %s is refused', async (_, body) => {
    const answer = await own.pay(body)
    expect(answer.status, answer.text).toBe(400)
  })
  test('refused payments reserve nothing', async () => {
    const group = await own.groupNow()
    expect(Number(group.currentSpent) + Number(group.held)).toBe(1)
  })
})

test('malformed JSON, a huge body and a body that is no object are refused without a 5xx', async () => {
  for (const raw of ['{', '[]', '"x"', 'null', `{"amount":"${'9'.repeat(100_000)}"}`]) {
    const answer = await api.call('POST', '/api/transactions/send', { token: own.token, raw })
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
    expect(answer.status, answer.text).toBeLessThan(500)
  }
})

describe('email addresses', () => {
  test.each(emailRoutes)('%s refuses deceptive email addresses @emails-3', async (_, call, field) => {
    for (const email of emails) await refused(call(email), field)
  })

  test('a domain that is not ASCII is punycode for contacts, agents and recipients alike', async () => {
    const [typed, stored] = ['Ada@Bücher.example', 'ada@xn--bcher-kva.example']
    const contact = await own.asOwner('POST', '/contacts', { name: 'Ada', email: typed })
    expect(contact.json.data.email).toBe(stored)
    const paid = await own.pay({ to: { type: 'email', email: typed }, amount: '0.1' })
    expect(paid.json.to).toEqual({ type: 'email', email: stored })
    const body = { sourceWalletId: own.wallet, amount: '0.1', recipientEmail: typed, contactId: contact.json.data.id }
    expect(await own.asOwner('POST', '/escrow/create', body)).toMatchObject({ status: 201 })
    for (const recipientEmail of [typed, stored, 'ADA@bu\u0308cher.example']) {
      const { json } = await own.asOwner('POST', '/transactions/recipient-check', { amount: '1', recipientEmail })
      expect(json.data).toMatchObject({ payments: 2 })
    }
  })

  test('an account is signed in to under any spelling of its domain', async () => {
    const [typed, stored] = ['ada@müller.example', 'ada@xn--mller-kva.example']
    const { password } = await signedUp(api, stored)
    for (const email of [typed, stored, 'ADA@XN--mller-KVA.example'])
      expect((await login(api, email, password)).status, email).toBe(200)
  })
})
