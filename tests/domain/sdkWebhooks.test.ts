import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { BursarWebhookRejected, type VerifyOptions, verifyWebhook } from '#sdk'

const now = Date.parse('2026-11-20T12:00:00Z')
const secretOf = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`
const [current, previous] = [secretOf(randomBytes(32)), secretOf(randomBytes(32))]
const body = JSON.stringify({
  type: 'webhook.test',
  timestamp: '2026-11-20T12:00:00.000Z',
  data: { id: 'whk_1', object: 'webhook', message: 'é' },
})

function signed(secrets: string[], { sentAt = now, text = body } = {}) {
  const timestamp = String(Math.floor(sentAt / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`evt_1.${timestamp}.${text}`).digest('base64')}`
  })
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
const verify = (over: Partial<VerifyOptions>) =>
  verifyWebhook({ body, headers: signed([current]), secret: current, now, ...over })

test('a signed request gives its event, from headers of any kind and during a rotation @sdk-24', async () => {
  const expected = JSON.parse(body)
  expect(await verify({})).toEqual(expected)
  expect(await verify({ headers: new Headers(signed([current])) })).toEqual(expected)
  expect(await verify({ headers: signed([previous, current]) })).toEqual(expected)
  expect(await verify({ headers: signed([previous, current]), secret: previous })).toEqual(expected)
  expect(await verify({ now: now + 299_000 })).toEqual(expected)
})

test.each<[string, Partial<VerifyOptions>, RegExp]>([
  ['with another secret', { secret: previous }, /No signature matches/],
  ['with another body', { body: body.replace('whk_1', 'whk_2') }, /No signature matches/],
  [
    'with another time',
    { headers: { ...signed([current]), 'webhook-timestamp': `${now / 1000 + 1}` } },
    /No signature/,
  ],
  ['that is old', { now: now + 301_000 }, /differs from the clock by 301 seconds/],
  ['from the future', { now: now - 301_000 }, /differs from the clock by 301 seconds/],
  ['without a time', { headers: { ...signed([current]), 'webhook-timestamp': 'soon' } }, /differs from the clock/],
  [
    'without signature',
    { headers: { ...signed([current]), 'webhook-signature': undefined } },
    /webhook-signature is miss/,
  ],
  [
    'with a signature that is no base64',
    { headers: { ...signed([current]), 'webhook-signature': 'v1,*** v2,abc' } },
    /No s/,
  ],
])('a request %s is refused @sdk-25', async (_, over, message) => {
  await expect(verify(over)).rejects.toThrow(BursarWebhookRejected)
  await expect(verify(over)).rejects.toThrow(message)
})

test('a secret that is none is reported as a mistake of the receiver @sdk-26', async () => {
  await expect(verify({ secret: '' })).rejects.toThrow(TypeError)
  await expect(verify({ secret: 'whsec_***' })).rejects.toThrow(TypeError)
})
