/** How the tools of /mcp pay, refuse and handle bad input. */
import { describe, expect, test } from 'vitest'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { hash } from '../support/hash.ts'
import { callTool, legacyCall, mcp } from '../support/mcpMessages.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { party } from '../support/workerChain.ts'
import { env } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api, { limit: 20 })

const key = () => crypto.randomUUID()
const call = (name: string, args: Record<string, unknown> = {}, token = own.apiKey) => callTool(api, token, name, args)
const rest = (body: unknown, idempotencyKey: string) =>
  api.call('POST', '/v1/payments', { token: own.apiKey, key: idempotencyKey, body })

describe('paying', () => {
  test('a payment returns structured content and the same text, and reaches its recipient @mcp-18', async () => {
    const address = fresh('paid')
    const { result, content, refused } = await call('pay_address', {
      address,
      amount: '1.5',
      memo: 'July',
      idempotency_key: key(),
    })
    expect(refused, JSON.stringify(content)).toBe(false)
    expect(result.resultType).toBe('complete')
    expect(JSON.parse(result.content[0].text)).toEqual(content)
    expect(content).toMatchObject({ object: 'payment', amount: '1.5', memo: 'July', replayed: false, error: null })
    expect(content.to).toEqual({ type: 'address', address })
    const paid = await until('confirmed', async () => {
      const { content: now } = await call('get_payment', { payment_id: content.id })
      return now.status === 'CONFIRMED' && now
    })
    expect(paid.tx_hash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await chain.usdcBalance(address)).toBe(1_500_000n)
    const { content: list } = await call('list_payments', { limit: 1 })
    expect(list).toMatchObject({ data: [{ id: content.id }], has_more: false, next_cursor: null })
  })

  test('one idempotency key is one payment across MCP, REST and both MCP protocols @mcp-19', async () => {
    const address = fresh('once')
    const idempotency_key = key()
    const args = { address, amount: '1', idempotency_key }
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('pay_address', args)))
    expect(new Set(answers.map(({ content }) => content.id)).size).toBe(1)
    expect(answers.filter(({ content }) => !content.replayed)).toHaveLength(1)
    const { id } = answers[0]!.content

    const overRest = await rest({ to: { type: 'address', address }, amount: '1' }, idempotency_key)
    expect([overRest.json.id, overRest.headers.get('idempotent-replayed')]).toEqual([id, 'true'])
    const quoted = await call('pay_address', { ...args, idempotency_key: `"${idempotency_key}"` })
    expect(quoted.content).toMatchObject({ id, replayed: true })
    const older = await legacyCall(api, own.apiKey, 'tools/call', { name: 'pay_address', arguments: args })
    expect(older.json.result.structuredContent).toMatchObject({ id, replayed: true })

    for (const other of [
      await call('pay_address', { ...args, amount: '1.1' }),
      await call('pay_address', { ...args, address: fresh('other') }),
      await call('pay_email', { email: 'ada@example.com', amount: '1', idempotency_key }),
    ])
      expect([other.refused, other.content.code, other.content.errors[0].pointer]).toEqual([
        true,
        'idempotency_key_reused',
        '/idempotency_key',
      ])
    const conflicting = await rest({ to: { type: 'address', address }, amount: '1.1' }, idempotency_key)
    expect(conflicting.json.code).toBe('idempotency_key_reused')
  })

  test('a contact is paid at its snapshot address; a payout result names its recipient but no link or code', async () => {
    const { content: context } = await call('get_payment_context', { contact: 'caro' })
    expect(context).toMatchObject({
      contacts_total: 1,
      policy_group: { contacts: [{ id: own.contact, name: 'Carol' }] },
    })
    expect((await call('get_payment_context', { contact: 'nobody' })).content.contacts_total).toBe(0)
    const paid = await call('pay_contact', { contact_id: own.contact, amount: '0.5', idempotency_key: key() })
    const { address } = party('carol')
    expect(paid.content.to).toMatchObject({ type: 'contact', contactId: own.contact, name: 'Carol', address })
    // Whom an owner knows by an address is not for agents that pay the address.
    const direct = await call('pay_address', { address, amount: '0.5', idempotency_key: key() })
    expect(direct.content.to).not.toHaveProperty('name')
    const mailed = await call('pay_email', { email: 'ada@example.com', amount: '0.5', idempotency_key: key() })
    expect(mailed.content.to).toMatchObject({ type: 'email', email: 'ada@example.com' })
    expect(JSON.stringify(mailed.content), 'neither link nor code').not.toMatch(/claim|passcode/i)
  })
})

describe('refusals are results with a code @mcp-20', () => {
  test('a payment over budget returns the rule, its figures, max_allowed_now and what to do next', async () => {
    const { content: context } = await call('get_payment_context')
    const asked = { address: fresh('much'), amount: '21', idempotency_key: key() }
    const { status, refused, result, content } = await call('pay_address', asked)
    expect([status, refused]).toEqual([200, true])
    expect(JSON.parse(result.content[0].text)).toEqual(content)
    expect(content).toMatchObject({
      code: 'budget_exceeded',
      detail: expect.stringContaining('left'),
      rule: 'group.budget',
      limit: '20',
      remaining: context.budget.remaining,
      max_allowed_now: context.budget.remaining,
      next: expect.any(String),
      payment_id: expect.any(String),
      request_id: expect.any(String),
    })
    const recorded = await call('get_payment', { payment_id: content.payment_id })
    expect(recorded.content).toMatchObject({ status: 'POLICY_REJECTED', error: { code: 'budget_exceeded' } })
    // Nothing was accepted under this key, so a smaller payment may use it.
    const smaller = await call('pay_address', { ...asked, amount: '0.2' })
    expect(smaller.refused).toBe(false)
  })

  test('a payment over the balance but within the budget returns what the balance allows', async () => {
    const rich = await createAccountFixture(api, { funds: 1_000_000n, limit: 20 })
    const args = { address: fresh('x'), amount: '2', idempotency_key: key() }
    const { content } = await call('pay_address', args, rich.apiKey)
    expect(content).toMatchObject({ code: 'insufficient_balance', max_allowed_now: '1' })
  })

  test('recipients that are not allowed are refused with their argument or rule', async () => {
    const pay = async (address: string) =>
      (await call('pay_address', { address, amount: '1', idempotency_key: key() })).content
    for (const forbidden of [own.walletAddress, `0x${'0'.repeat(40)}`]) {
      const content = await pay(forbidden)
      expect([content.code, content.errors[0].pointer], forbidden).toEqual(['invalid_input', '/address'])
    }
    const unknown = await call('pay_contact', { contact_id: 'ct_nobody', amount: '1', idempotency_key: key() })
    expect([unknown.content.code, unknown.content.rule]).toEqual(['recipient_not_allowed', 'whitelist'])
    const method = { contact_id: own.contact, method: 'phone', amount: '1', idempotency_key: key() }
    expect((await call('pay_contact', method)).content.code).toBe('recipient_not_allowed')
    const small = await call('pay_email', { email: 'ada@example.com', amount: '0.09', idempotency_key: key() })
    expect([small.content.code, small.content.errors[0].pointer]).toEqual(['invalid_input', '/amount'])
  })

  test('a signed payment cannot be cancelled; an unknown one is not found', async () => {
    const paid = await call('pay_address', { address: fresh('x'), amount: '0.1', idempotency_key: key() })
    await until('signed', async () => (await call('get_payment', { payment_id: paid.content.id })).content.signed_at)
    const cancelled = await call('cancel_payment', { payment_id: paid.content.id })
    expect([cancelled.refused, cancelled.content.code]).toEqual([true, 'conflict'])
    for (const tool of ['get_payment', 'cancel_payment'])
      expect((await call(tool, { payment_id: 'pay_nobody' })).content.code, tool).toBe('not_found')
  })
})

describe('bad input returns `invalid_input` with the argument at fault @mcp-21', () => {
  const good = () => ({ address: fresh('x'), amount: '1', idempotency_key: key() })
  const cases: [tool: string, args: Record<string, unknown>, pointer: string][] = [
    ...[
      '-1',
      '0',
      '0.0000001',
      '1e3',
      '1.',
      '.5',
      '',
      ' 1',
      '1,5',
      '١',
      '0x1',
      'NaN',
      '1 USDC',
      '1000000001',
      5,
      1.5,
      null,
      {},
    ].map((amount): [string, Record<string, unknown>, string] => ['pay_address', { amount }, '/amount']),
    ...['', '0x', 'vitalik.eth', `0x${'g'.repeat(40)}`, '0x52908400098527886E0F7030069857D2E4169Ee7', 42, null].map(
      (address): [string, Record<string, unknown>, string] => ['pay_address', { address }, '/address'],
    ),
    ...['', ' ', 'a b', 'a,b', 'ü', 'x'.repeat(256), 7, null, undefined].map(
      (idempotency_key): [string, Record<string, unknown>, string] => [
        'pay_address',
        { idempotency_key },
        '/idempotency_key',
      ],
    ),
    ['pay_address', { memo: 'x'.repeat(101) }, '/memo'],
    ['pay_address', { memo: 7 }, '/memo'],
    ['pay_address', { to: { type: 'address' } }, '/'],
    ['pay_address', { amount: undefined }, '/amount'],
    ['pay_email', { address: undefined, email: 'nobody' }, '/email'],
    ['pay_email', { address: undefined, email: 'billing(acme.com)<x@evil.example>' }, '/email'],
    ['pay_email', { address: undefined, email: 'billing@acme.com\u200b.evil.example' }, '/email'],
    ['pay_phone', { address: undefined, phone: '0664 1234567' }, '/phone'],
    ['pay_contact', { address: undefined, contact_id: '' }, '/contact_id'],
    ['pay_contact', { address: undefined, contact_id: 'c', method: 'pigeon' }, '/method'],
  ]
  test.each(cases)('%s refuses %j', async (tool, wrong, pointer) => {
    const before = await hash(env, own.user)
    const { status, refused, content } = await call(tool, { ...good(), ...wrong })
    expect([status, refused, content.code], JSON.stringify(content)).toEqual([200, true, 'invalid_input'])
    expect(content.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
    expect(content.detail).toEqual(expect.any(String))
    expect(await hash(env, own.user), 'nothing was written').toBe(before)
  })

  test('tools other than paying refuse bad arguments', async () => {
    const wrong: [string, Record<string, unknown>][] = [
      ['list_payments', { limit: 0 }],
      ['list_payments', { limit: 101 }],
      ['list_payments', { cursor: 'bm90IG91cnM' }],
      ['list_payments', { page: 2 }],
      ['get_payment', {}],
      ['get_payment', { payment_id: 'x'.repeat(65) }],
      ['get_payment', { payment_id: 7 }],
      ['get_payment_context', { verbose: true }],
      ['cancel_payment', {}],
    ]
    for (const [tool, args] of wrong)
      expect((await call(tool, args)).content.code, `${tool} ${JSON.stringify(args)}`).toBe('invalid_input')
  })

  test('arguments that are left out in other ways, and JSON as text, are read as they are meant @mcp-46', async () => {
    const context = await call('get_payment_context', { contact: null })
    expect([context.refused, context.content.contacts_total]).toEqual([false, expect.any(Number)])
    const left: [string, Record<string, unknown>][] = [
      ['list_payments', { limit: null, cursor: '', reference: null }],
      ['list_payments', { limit: '1' }],
      ['pay_address', { ...good(), memo: null, reference: '', reason: null }],
    ]
    for (const [tool, args] of left) expect((await call(tool, args)).refused, JSON.stringify(args)).toBe(false)
    for (const args of [null, '{}', ''] as unknown[]) {
      const { json } = await mcp(api, 'tools/call', { name: 'list_payments', arguments: args }, { token: own.apiKey })
      expect(json.result, JSON.stringify(args)).toMatchObject({ structuredContent: { has_more: false } })
    }
  })

  test('arguments that are not an object are refused', async () => {
    for (const args of ['text', 7, []]) {
      const answer = await mcp(api, 'tools/call', { name: 'pay_address', arguments: args }, { token: own.apiKey })
      const code = answer.json.error?.code ?? answer.json.result.structuredContent.code
      expect([-32602, 'invalid_input'], JSON.stringify(args)).toContain(code)
    }
  })
})

test('pages of list_payments have no gaps or repeats', async () => {
  const seen: string[] = []
  for (let cursor: string | null = null; ; ) {
    const { content } = await call('list_payments', { limit: 3, ...(cursor && { cursor }) })
    seen.push(...content.data.map((payment: { id: string }) => payment.id))
    cursor = content.next_cursor
    if (!cursor) break
  }
  const { content: all } = await call('list_payments', { limit: 100 })
  expect(seen).toEqual(all.data.map((payment: { id: string }) => payment.id))
  expect(seen.length).toBeGreaterThan(3)
})

test('I10: tools do not find another user’s ids @mcp-22', async () => {
  const paid = await call('pay_address', { address: fresh('x'), amount: '0.1', idempotency_key: key() })
  const bob = await createAccountFixture(api)
  const before = await hash(env, own.user)
  for (const tool of ['get_payment', 'cancel_payment'])
    expect((await call(tool, { payment_id: paid.content.id }, bob.apiKey)).content.code, tool).toBe('not_found')
  const contact = { contact_id: own.contact, amount: '1', idempotency_key: key() }
  expect((await call('pay_contact', contact, bob.apiKey)).content.code).toBe('recipient_not_allowed')
  expect((await call('list_payments', {}, bob.apiKey)).content.data.map(({ id }: { id: string }) => id)).not.toContain(
    paid.content.id,
  )
  expect(await hash(env, own.user), 'nothing of the owner changed').toBe(before)
})
