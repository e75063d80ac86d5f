/** The agents' REST API: paging, cancelling and dry runs. badInput.test.ts covers single refusals. */

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { accessToken } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api)
afterEach(() => chain.fault({ mode: 'none' }))

const toAddress = (amount = '0.01') => ({ to: { type: 'address', address: fresh('x') }, amount })
const pay = (body: unknown, token = own.apiKey) => own.pay(body, { token })
const check = (body: unknown, token = own.apiKey) => api.call('POST', '/v1/payments/check', { token, body })
const cancel = (id: string, token = own.apiKey) => api.call('POST', `/v1/payments/${id}/cancel`, { token })
const budget = async () => (await api.call('GET', '/v1/context', { token: own.apiKey })).json.budget
const tokenWith = (scope: string) => accessToken(api, own, { scope })

test('pages add up to the whole list, newest first, even while payments are made @rest-1', async () => {
  const made: string[] = []
  for (let i = 0; i < 7; i++) made.unshift((await pay(toAddress())).json.id)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 }), async (limits) => {
      const seen: string[] = []
      let next = ''
      for (const [i, limit] of limits.entries()) {
        const query = `limit=${limit}${next && `&cursor=${next}`}`
        const { json } = await api.call('GET', `/v1/payments?${query}`, { token: own.apiKey })
        seen.push(...json.data.map(({ id }: { id: string }) => id))
        expect(json.has_more).toBe(json.next_cursor !== null)
        next = json.next_cursor
        if (next === null) break
        if (i === 1) await pay(toAddress())
      }
      expect(new Set(seen).size, 'no payment appears twice').toBe(seen.length)
      if (next === null) expect(seen.slice(-made.length), 'no payment is missing').toEqual(made)
    }),
    { numRuns: 8 },
  )
})

test.each(['', '!', 'bm90IG91cnM', btoa('1:x:y'), btoa("1:' OR 1=1 --"), 'x'.repeat(500)])(
  'GET /v1/payments refuses cursor %j',
  async (cursor) => {
    const answer = await api.call('GET', `/v1/payments?cursor=${encodeURIComponent(cursor)}`, { token: own.apiKey })
    expect([answer.status, answer.json.code], answer.text).toEqual([400, 'invalid_input'])
  },
)
test.each(['0', '-1', '101', '1.5', 'all', ''])('GET /v1/payments refuses limit %j', async (limit) => {
  expect((await api.call('GET', `/v1/payments?limit=${limit}`, { token: own.apiKey })).status).toBe(400)
})

test('every response is private to its agent and has a request id', async () => {
  for (const answer of [
    await api.call('GET', '/v1/context', { token: own.apiKey, headers: { origin: 'https://elsewhere.example' } }),
    await pay(toAddress('1000')),
    await api.call('GET', '/v1/context'),
  ]) {
    const { headers } = answer
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')).toContain('Authorization')
    expect(headers.get('x-request-id')).toBe(answer.json.request_id ?? headers.get('x-request-id'))
    expect(headers.get('strict-transport-security')).toContain('max-age')
    expect(headers.has('access-control-allow-origin')).toBe(false)
  }
})

describe('cancelling @rest-2', () => {
  test('an unsigned payment is cancelled once, by a token that could have created it; its budget is released', async () => {
    const paid = await pay(toAddress())
    await chain.fault({ mode: 'down' })
    // Without a block to derive the deadline from, nothing is signed.
    await inTreasury(own, (treasury) => heads(treasury.context).clear())
    const body = { ...toAddress('0.5'), to: { type: 'address', address: paid.json.to.address } }
    const waiting = await pay(body)
    expect([waiting.status, waiting.json.status], waiting.text).toEqual([201, 'QUEUED'])
    const before = await budget()

    const reader = await cancel(waiting.json.id, await tokenWith('payment_context:read'))
    expect([reader.status, reader.json.code, reader.json.scope]).toEqual([
      403,
      'insufficient_scope',
      'address_payments:write',
    ])
    expect(reader.headers.get('www-authenticate')).toContain('scope="address_payments:write"')
    const answers = await Promise.all([cancel(waiting.json.id), cancel(waiting.json.id), cancel(waiting.json.id)])
    for (const { status, json } of answers) expect([status, json.status]).toEqual([200, 'CANCELLED'])
    const after = await budget()
    expect((Number(before.held) - Number(after.held)).toFixed(6)).toBe('0.500000')
  })

  test('cancelling a signed, refused or unknown payment is refused', async () => {
    const signed = await pay(toAddress())
    const getSigned = () => api.call('GET', `/v1/payments/${signed.json.id}`, { token: own.apiKey })
    await until('signed', async () => (await getSigned()).json.status !== 'QUEUED')
    expect([(await cancel(signed.json.id)).status, (await cancel(signed.json.id)).json.code]).toEqual([409, 'conflict'])
    const refused = await pay(toAddress('1000'))
    expect((await cancel(refused.json.payment_id)).status).toBe(409)
    for (const id of ['pay_nobody', 'x'.repeat(500), '%00', '..'])
      expect([400, 404, 405], id).toContain((await cancel(id)).status)
  })
})

describe('a dry run @rest-3', () => {
  const cases: [string, () => unknown][] = [
    ['more than the budget', () => toAddress('21')],
    ['more than the balance', () => toAddress('51')],
    ['a phone number', () => ({ to: { type: 'phone', phone: '+14155550123' }, amount: '1' })],
    ['an unknown contact', () => ({ to: { type: 'contact', contactId: 'nobody' }, amount: '1' })],
    [
      'a method that the contact lacks',
      () => ({ to: { type: 'contact', contactId: own.contact, method: 'phone' }, amount: '1' }),
    ],
  ]
  test.each(cases)('for %s, a dry run returns the same refusal as a payment', async (_, body) => {
    const dry = await check(body())
    const wet = await pay(body())
    expect([dry.status, dry.json.allowed], dry.text).toEqual([200, false])
    const { code, detail, rule, next, max_allowed_now } = wet.json
    expect(dry.json.refusal).toMatchObject({ code, detail, rule, next, max_allowed_now })
  })

  test('a dry run reserves and records nothing, and allows max_allowed_now', async () => {
    const all = async () => (await api.call('GET', '/v1/payments?limit=100', { token: own.apiKey })).json.data.length
    const [before, rows] = [await budget(), await all()]
    const { max_allowed_now } = (await check(toAddress('1000'))).json
    expect((await check(toAddress(max_allowed_now))).json).toMatchObject({ allowed: true, refusal: null })
    expect((await check(toAddress('1'))).json).toMatchObject({ object: 'payment_check', amount: '1', max_allowed_now })
    const { remaining } = await budget()
    expect([remaining, await all()]).toEqual([before.remaining, rows])
  })

  test('a dry run warns of a first payment to an address that nobody has used @rest-14', async () => {
    const warnings = async (body: object) => (await check(body)).json.warnings.map(({ code }: { code: string }) => code)
    const [nobody, holder] = [fresh('nobody'), fresh('holder')]
    await chain.mint(holder, 1n)
    const to = (address: string) => ({ to: { type: 'address', address }, amount: '0.01' })
    expect(await warnings(to(nobody))).toEqual(['address_unused'])
    expect(await warnings(to(holder)), 'holds USDC').toEqual([])
    expect((await pay(to(nobody))).status).toBe(201)
    expect(await warnings(to(nobody)), 'paid before').toEqual([])
    expect(await warnings({ to: { type: 'email', email: 'nobody@example.com' }, amount: '1' })).toEqual([])
  })

  test('a payment to a contact removed after the dry run is refused', async () => {
    const other = await createAccountFixture(api)
    const body = { to: { type: 'contact', contactId: other.contact }, amount: '1' }
    expect((await check(body, other.apiKey)).json.allowed).toBe(true)
    expect((await other.asOwner('DELETE', `/contacts/${other.contact}`)).status).toBe(200)
    const paid = await pay(body, other.apiKey)
    expect([paid.status, paid.json.code], paid.text).toEqual([403, 'recipient_not_allowed'])
    expect((await check(body, other.apiKey)).json.refusal.code).toBe('recipient_not_allowed')
  })

  test('a dry run refuses malformed input like a payment and needs no idempotency key', async () => {
    for (const body of [{ ...toAddress(), amount: 1 }, { ...toAddress(), dry: true }, {}, [], { ...toAddress('0') }])
      expect((await check(body)).status, JSON.stringify(body)).toBe(400)
    const zero = { to: { type: 'address', address: `0x${'0'.repeat(40)}` }, amount: '1' }
    expect((await check(zero)).status).toBe(400)
    expect((await check({ to: { type: 'email', email: 'a@b.test' }, amount: '0.05' })).status).toBe(400)
  })
})
