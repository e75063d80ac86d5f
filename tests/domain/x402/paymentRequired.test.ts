import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  maxChallengeBytes,
  maxOffers,
  type PaymentRequired,
  parsePaymentRequired,
} from '../../../worker/domain/x402/paymentRequired.ts'
import { anOffer } from './offers.ts'

const challenge = { x402Version: 2, error: 'pay', resource: { url: 'https://shop.example/a' }, accepts: [anOffer()] }
const header = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

function parsed(input: unknown): PaymentRequired {
  const result = parsePaymentRequired(input)
  if (!result.ok) throw new Error(`${result.problem.field}: ${result.problem.message}`)
  return result.value
}
function fieldOf(input: unknown): string | null {
  const result = parsePaymentRequired(input)
  return result.ok ? null : result.problem.field
}

test('the object and its base64 form are the same challenge, with what the payment repeats @x402-7', () => {
  const extensions = { bazaar: { info: {}, schema: {} } }
  const whole = { ...challenge, extensions }
  const expected = { accepts: whole.accepts, resource: whole.resource, extensions }
  expect(parsed(whole)).toEqual(expected)
  expect(parsed(header(whole))).toEqual(expected)
  expect(parsed(header(whole).replace(/=+$/, '')), 'without padding').toEqual(expected)
  expect(parsed({ x402Version: 2, accepts: [{}] })).toEqual({ accepts: [{}] })
})

test('models send the object as JSON text, or the header with spaces around it @x402-183', () => {
  const expected = parsed(challenge)
  for (const text of [
    JSON.stringify(challenge),
    ` \n${JSON.stringify(challenge, null, 2)}\n`,
    ` ${header(challenge)}\n`,
  ])
    expect(parsed(text), text).toEqual(expected)
  const large = JSON.stringify({ ...challenge, padding: 'x'.repeat(maxChallengeBytes) })
  expect(fieldOf(large)).toBe('payment_required')
})

test('text that is not ASCII arrives whole @x402-8', () => {
  const named = { ...challenge, resource: { url: 'https://shop.example/ä', description: '“€”' } }
  expect(parsed(header(named)).resource).toEqual(named.resource)
})

test('a malformed challenge is refused with the field at fault @x402-9', () => {
  const cases: [unknown, string][] = [
    [null, 'payment_required'],
    [undefined, 'payment_required'],
    [42, 'payment_required'],
    [[challenge], 'payment_required'],
    ['', 'payment_required'],
    ['{}', 'payment_required.x402Version'],
    ['{', 'payment_required'],
    [JSON.stringify([challenge]), 'payment_required'],
    [header([challenge]), 'payment_required'],
    [header('text'), 'payment_required'],
    [`${header(challenge)}!`, 'payment_required'],
    [Buffer.from([0x7b, 0xff, 0x7d]).toString('base64'), 'payment_required'],
    [{ ...challenge, x402Version: 1 }, 'payment_required.x402Version'],
    [{ ...challenge, x402Version: '2' }, 'payment_required.x402Version'],
    [{ x402Version: 2 }, 'payment_required.accepts'],
    [{ ...challenge, accepts: [] }, 'payment_required.accepts'],
    [{ ...challenge, accepts: {} }, 'payment_required.accepts'],
    [{ ...challenge, accepts: [anOffer(), null] }, 'payment_required.accepts.1'],
    [{ ...challenge, accepts: ['exact'] }, 'payment_required.accepts.0'],
    [{ ...challenge, resource: 'https://shop.example' }, 'payment_required.resource'],
    [{ ...challenge, resource: null }, 'payment_required.resource'],
    [{ ...challenge, extensions: [] }, 'payment_required.extensions'],
  ]
  for (const [input, field] of cases) expect(fieldOf(input), JSON.stringify(input)).toBe(field)
})

test('a challenge has at most 100 offers, 128 kB and 16 levels @x402-10', () => {
  const many = (count: number) => ({ ...challenge, accepts: Array.from({ length: count }, () => anOffer()) })
  expect(parsed(many(maxOffers)).accepts).toHaveLength(100)
  expect(fieldOf(many(maxOffers + 1))).toBe('payment_required.accepts')

  const padded = (bytes: number) => ({ x402Version: 2, accepts: [{}], error: 'x'.repeat(bytes - 43) })
  const exact = padded(maxChallengeBytes)
  expect(JSON.stringify(exact)).toHaveLength(maxChallengeBytes)
  expect(fieldOf(header(exact))).toBeNull()
  expect(fieldOf(header(padded(maxChallengeBytes + 3)))).toBe('payment_required')

  const nested = (levels: number) => {
    let value: unknown = 1
    for (let i = 0; i < levels; i++) value = [value]
    return { x402Version: 2, accepts: [{}], error: value }
  }
  expect(fieldOf(nested(15))).toBeNull()
  expect(fieldOf(nested(16))).toBe('payment_required')
  expect(fieldOf(header(nested(16)))).toBe('payment_required')
  const deep = `{"x402Version":2,"accepts":[{}],"error":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(fieldOf(Buffer.from(deep).toString('base64'))).toBe('payment_required')
})

test('no input makes it throw @x402-11', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), fc.base64String(), fc.json().map(btoaOrText)), (input) => {
      expect(parsePaymentRequired(input)).toHaveProperty('ok')
    }),
  )
})

const btoaOrText = (text: string) => Buffer.from(text).toString('base64')
