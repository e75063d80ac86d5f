import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Env } from '../../worker/env.ts'
import { messageProviderFrom } from '../../worker/notifications/messageProvider.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { until } from '../support/payer.ts'
import { serveUrl } from '../support/serveUrl.ts'
import { createApi, env } from './apiClient.ts'

const api = await createTestApp()
const account = await createAccountFixture(api)
afterEach(() => vi.restoreAllMocks())

const secret = Buffer.from('thirty-two bytes of a secret....').toString('base64')
const vendors = {
  RESEND_WEBHOOK_SECRET: `whsec_${secret}`,
  TWILIO_AUTH_TOKEN: 'twilio-token',
} satisfies Partial<Env>

async function createPayout(): Promise<string> {
  const reply = await account.pay({ to: { type: 'email', email: 'ann@example.com' }, amount: '0.5' })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.id
}
const payoutId = await createPayout()
const referenceTo = (payout: string, version = 1) => ({
  message: Buffer.from(`payout-link:${payout}:${version}`).toString('base64url'),
  payout,
})
const deliveryOf = async (id: string) => {
  const { json } = await account.asOwner('GET', `/escrow/${id}`)
  return json.data.delivery
}

const fromResend = (type: string, tags: object, changes: Partial<Env> = vendors) =>
  signedByResend(JSON.stringify({ type, created_at: '2026-11-20T12:00:00Z', data: { email_id: 'e', tags } }), changes)
function signedByResend(raw: string, changes: Partial<Env> = vendors) {
  const timestamp = String(Math.floor(api.clock.now / 1000))
  const signature = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`msg_1.${timestamp}.${raw}`)
    .digest('base64')
  const headers = { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` }
  return api.call('POST', '/delivery-reports/resend', { raw, headers, env: changes })
}
function fromTwilio(status: string, reference: Record<string, string>) {
  const path = `/delivery-reports/twilio?${new URLSearchParams(reference)}`
  const signature = createHmac('sha1', 'twilio-token')
    .update(`http://localhost:3001${path}MessageSidSM1MessageStatus${status}`)
    .digest('base64')
  return api.call('POST', path, {
    raw: new URLSearchParams({ MessageSid: 'SM1', MessageStatus: status }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
    env: vendors,
  })
}

describe('delivery reports', () => {
  test('delivery reports of both vendors are shown on the payout and in the list @messages-11', async () => {
    await until('payout', async () => (await deliveryOf(payoutId)) === null)
    expect((await fromResend('email.bounced', referenceTo(payoutId))).status).toBe(204)
    const bounced = { channel: 'email', state: 'bounced', at: new Date(api.clock.now).toISOString() }
    expect(await deliveryOf(payoutId)).toEqual(bounced)
    const list = await account.asOwner('GET', '/escrow/list')
    expect(list.json.data.escrows.find(({ id }: { id: string }) => id === payoutId).delivery).toEqual(bounced)

    const second = await createPayout()
    expect((await fromTwilio('undelivered', referenceTo(second))).status).toBe(204)
    expect(await deliveryOf(second)).toMatchObject({ channel: 'sms', state: 'undelivered' })
  })

  test('delivery reports that are late, repeated or out of order do not undo a bounce; a new code starts over @messages-12', async () => {
    const id = await createPayout()
    await fromResend('email.bounced', referenceTo(id))
    for (const late of ['email.delivered', 'email.bounced', 'email.sent', 'email.opened'])
      expect((await fromResend(late, referenceTo(id))).status).toBe(204)
    expect(await deliveryOf(id)).toMatchObject({ state: 'bounced' })
    await fromResend('email.complained', referenceTo(id))
    expect(await deliveryOf(id)).toMatchObject({ state: 'complained' })
    api.clock.now += 1_000
    await fromResend('email.delivered', referenceTo(id, 2))
    expect(await deliveryOf(id)).toMatchObject({ state: 'delivered' })
  })

  test('delivery reports that are unsigned, or of unknown or unconfigured vendors, change nothing @messages-13', async () => {
    const id = await createPayout()
    const unsigned = { body: { type: 'email.delivered', data: { tags: referenceTo(id) } }, env: vendors }
    expect((await api.call('POST', '/delivery-reports/resend', unsigned)).status).toBe(403)
    expect((await api.call('POST', '/delivery-reports/twilio', { ...unsigned, body: {} })).status).toBe(403)
    expect((await api.call('POST', '/delivery-reports/mailgun', unsigned)).status).toBe(404)
    expect((await fromResend('email.delivered', referenceTo(id), {})).status).toBe(404)
    expect(await deliveryOf(id)).toBeNull()
  })

  test.each([
    ['no tags', undefined],
    ['empty tags', {}],
    ['tags of another type', { message: 1, payout: null }],
    ['tags of another application', { category: 'newsletter' }],
  ])('a delivery report with %s is accepted and ignored', async (_, tags) => {
    expect((await fromResend('email.bounced', tags as object)).status).toBe(204)
  })
  test.each(['', '[]', 'null', '{', '"text"'])('a report with the body %j is accepted and ignored', async (raw) => {
    expect((await signedByResend(raw)).status).toBe(204)
  })
})

describe('a provider in production', () => {
  const production = (over: Partial<Env>) =>
    messageProviderFrom({ ...env, ENVIRONMENT: 'production', MAIL_FROM: 'hello@bursar.example', ...over })
  const resend = { EMAIL_PROVIDER: 'resend', RESEND_API_KEY: 'key' } as const
  const resendOrigin = 'https://api.resend.com/'
  const accepted = () => Response.json({ id: 'e' })
  const invalidRecipient = () => Response.json({ message: 'Invalid `to` field.' }, { status: 422 })
  const messageAbout = (id: string) => ({
    id: `payout-link:${id}:1`,
    payoutId: id,
    to: 'ann@example.com',
    channel: 'email' as const,
    subject: 's',
    text: 't',
  })

  test('a payout shows whether the provider accepted or refused its message; a refused message is not sent again @messages-14', async () => {
    const [sent, refused] = [await createPayout(), await createPayout()]
    const replies = [accepted(), invalidRecipient()]
    const requests = serveUrl(resendOrigin, () => replies.shift()!)
    await production(resend).send(messageAbout(sent))
    await production(resend).send(messageAbout(refused))
    await production(resend).send(messageAbout(refused))
    expect(requests).toHaveLength(2)
    expect(await deliveryOf(sent)).toMatchObject({ state: 'accepted' })
    expect(await deliveryOf(refused)).toMatchObject({ state: 'undelivered' })
  })

  test('a delivery report that arrives before the provider’s own reply is kept', async () => {
    const id = await createPayout()
    serveUrl(resendOrigin, async () => {
      await fromResend('email.delivered', referenceTo(id))
      return accepted()
    })
    await production(resend).send(messageAbout(id))
    expect(await deliveryOf(id)).toMatchObject({ state: 'delivered' })
  })

  test('account mail that the provider refuses fails with a message for the user', async () => {
    serveUrl(resendOrigin, invalidRecipient)
    const { payoutId: _, ...message } = messageAbout('x')
    await expect(production(resend).send({ ...message, id: 'account' })).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: 'An email to this address cannot be delivered. Please check it.',
    })
  })
})

test('delivery reports are not accepted under /api', async () => {
  expect((await createApi().call('POST', '/api/delivery-reports/resend', { body: {} })).status).toBe(404)
})
