/** Vendors that refuse a message, fail or never reply, and what happens to the message. */
import { afterAll, expect, test } from 'vitest'
import type { Message } from '../../worker/notifications/message.ts'
import { resend } from '../../worker/notifications/providers/resend.ts'
import { twilio } from '../../worker/notifications/providers/twilio.ts'
import { type ScriptedReply, startRequestRecorder } from '../support/requestRecorder.ts'

const vendor = await startRequestRecorder()
afterAll(() => vendor.stop())
const endpoint = vendor.url
const from = 'Bursar <hello@bursar.example>'
const providers = {
  resend: resend({ from, apiKey: 'secret-key', endpoint }),
  twilio: twilio({
    accountSid: 'AC1',
    authToken: 'secret-key',
    from: '+1',
    apiOrigin: 'https://b.example',
    endpoint,
  }),
}

const message: Message = {
  id: 'payout-link:pay_1:1',
  payoutId: 'pay_1',
  to: 'ann@example.com',
  channel: 'email',
  subject: 'Hello',
  text: 'Your code:\n\n012345',
}
type Vendor = keyof typeof providers
const sendAfter = (name: Vendor, reply: ScriptedReply) => {
  vendor.reply(reply)
  return providers[name].send(message)
}

test.each<[Vendor, string, ScriptedReply]>([
  [
    'resend',
    'an invalid recipient',
    { status: 422, body: { name: 'validation_error', message: 'Invalid `to` field.' } },
  ],
  ['twilio', 'an invalid number', { status: 400, body: { code: 21211, message: "Invalid 'To' Phone Number" } }],
  ['twilio', 'a recipient who unsubscribed', { status: 400, body: { code: 21610, message: 'unsubscribed' } }],
])('a message that %s refuses for %s is given up @messages-6', async (name, _, reply) => {
  await expect(sendAfter(name, reply)).rejects.toMatchObject({ name: 'MessageRefused', code: 'upstream_unavailable' })
})

test.each<[Vendor, string, ScriptedReply]>([
  ['resend', '401', { status: 401, body: { name: 'missing_api_key', message: 'secret-key' } }],
  [
    'resend',
    '422 about the sender',
    { status: 422, body: { name: 'invalid_from_address', message: 'Invalid `from`' } },
  ],
  ['resend', '409 while the first attempt runs', { status: 409, body: { name: 'concurrent_idempotent_requests' } }],
  ['resend', '429', { status: 429, body: { name: 'rate_limit_exceeded', message: 'ann@example.com' } }],
  ['resend', '500', { status: 500 }],
  ['resend', 'a redirect', { status: 307, headers: { location: 'https://elsewhere.example' } }],
  ['twilio', '401', { status: 401, body: { code: 20003, message: 'Authenticate' } }],
  ['twilio', '400 about the sender', { status: 400, body: { code: 21606, message: 'From' } }],
  ['twilio', '500', { status: 500, body: 'not an object' }],
])(
  'a message can be retried after %s returned %s, and the error reveals nothing of it @messages-7',
  async (name, _, reply) => {
    const error = await sendAfter(name, reply).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'AppError', code: 'upstream_unavailable' })
    const { message: shown, cause } = error as Error & { cause: Error }
    expect(`${shown} ${cause}`).not.toMatch(/012345|ann@|secret-key/)
    expect(cause.message).toMatch(/returned \d{3}/)
  },
)

test('Resend’s 409 for a key already used with different content means that the message was sent', async () => {
  await sendAfter('resend', { status: 409, body: { name: 'invalid_idempotent_request' } })
})

test('a request to a vendor that never replies fails after 5 seconds @messages-8', async () => {
  const started = performance.now()
  const failed = Object.keys(providers).map((name) =>
    expect(sendAfter(name as Vendor, 'never')).rejects.toMatchObject({ code: 'upstream_unavailable' }),
  )
  await Promise.all(failed)
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('a message sent twice has the same idempotency key both times @messages-9', async () => {
  await sendAfter('resend', 'never').catch(() => undefined)
  await sendAfter('resend', {})
  const keys = vendor.requests.slice(-2).map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual([message.id, message.id])
})

test('an unreachable vendor is a retryable failure', async () => {
  const provider = resend({ from: 'x', apiKey: 'k', endpoint: 'http://127.0.0.1:1' })
  await expect(provider.send(message)).rejects.toMatchObject({ name: 'AppError', code: 'upstream_unavailable' })
})
