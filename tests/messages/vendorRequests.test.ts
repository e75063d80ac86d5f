/** Compares each adapter's request with the one that the vendor's own SDK sends to the same receiver. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Message } from '../../worker/notifications/message.ts'
import { payoutLinkMessage } from '../../worker/notifications/payoutMessages.ts'
import { resend } from '../../worker/notifications/providers/resend.ts'
import { twilio } from '../../worker/notifications/providers/twilio.ts'
import { referenceOf } from '../../worker/notifications/reports/deliveryReport.ts'
import { importClient } from '../support/clients.ts'
import { type RecordedRequest, startRequestRecorder } from '../support/requestRecorder.ts'

const vendor = await startRequestRecorder()
afterAll(() => vendor.stop())

const from = 'Bursar <hello@bursar.example>'
const payout = {
  id: 'payout-link:pay_0123:2',
  payoutId: 'pay_0123',
  senderName: 'Zoë <b>Ö</b> & Co',
  amount: '12.5',
  memo: 'Für "alles" 🎉',
  claimUrl: 'https://bursar.example/claim/abc',
  code: '012345',
  expiresAt: Date.UTC(2026, 10, 20, 12),
}
const email = {
  ...payoutLinkMessage({ ...payout, to: 'ann@example.com', channel: 'email' }),
  subject: 'Zoë <b>Ö</b> & Co sent you 12.5 USDC',
}
const sms = payoutLinkMessage({ ...payout, to: '+4915112345678', channel: 'sms' })
const accountEmail: Message = {
  id: 'reset-code:user_1:1',
  to: 'bob@example.com',
  channel: 'email',
  subject: 'Code',
  text: 'Text',
  html: '<p>Text</p>',
}

/** Method, path, parsed body and the headers that carry credentials or keys. */
function essence({ method, path, headers, body }: RecordedRequest) {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  return {
    method,
    path,
    contentType: headers['content-type'],
    authorization: headers.authorization,
    idempotencyKey: headers['idempotency-key'],
    body: isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body),
  }
}

/** Sends both requests and expects them to be equal. Returns ours. */
async function compare(ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
  await ours()
  const sent = essence(vendor.last())
  await theirs().catch(() => undefined) // the receiver's reply is not the vendor's
  expect(vendor.requests.at(-1)).not.toBe(vendor.requests.at(-2))
  expect(sent).toEqual(essence(vendor.last()))
  return sent
}
const tagsOf = (message: Message) =>
  Object.entries(referenceOf(message) ?? {}).map(([name, value]) => ({ name, value }))

describe.each([
  ['a payout', email],
  ['an account', accountEmail],
])('an email about %s @messages-1', (_, message) => {
  const content = { subject: message.subject, text: message.text, html: message.html }

  test('is sent as Resend’s SDK sends it', async () => {
    const { Resend } = await importClient('resend/dist/index.mjs')
    const sdk = new Resend('re_key', { baseUrl: vendor.url })
    const tags = tagsOf(message)
    const sent = await compare(
      () => resend({ from, apiKey: 're_key', endpoint: vendor.url }).send(message),
      () =>
        sdk.emails.send(
          { from, to: message.to, ...content, ...(tags.length > 0 && { tags }) },
          { idempotencyKey: message.id },
        ),
    )
    expect(sent.authorization).toBe('Bearer re_key')
  })
})

test.each(['+15550001111', 'MG0123456789abcdef0123456789abcdef'])(
  'an SMS from %s is sent as Twilio’s SDK sends it @messages-2',
  async (sender) => {
    const { default: twilioSdk } = await importClient('twilio/lib/index.js')
    const accountSid = `AC${'0'.repeat(32)}`
    class ToReceiver extends twilioSdk.RequestClient {
      request(options: { uri: string }) {
        return super.request({ ...options, uri: options.uri.replace('https://api.twilio.com', vendor.url) })
      }
    }
    const sdk = twilioSdk(accountSid, 'secret', { httpClient: new ToReceiver() })
    const options = { accountSid, authToken: 'secret', apiOrigin: 'https://bursar.example', endpoint: vendor.url }
    const sent = await compare(
      () => twilio({ ...options, from: sender }).send(sms),
      () =>
        sdk.messages.create({
          to: sms.to,
          ...(sender.startsWith('MG') ? { messagingServiceSid: sender } : { from: sender }),
          body: sms.text,
          statusCallback: `https://bursar.example/delivery-reports/twilio?${new URLSearchParams(referenceOf(sms)!)}`,
        }),
    )
    expect(sent.authorization).toBe(`Basic ${btoa(`${accountSid}:secret`)}`)
  },
)

test('a long message keeps every character', async () => {
  const message = { ...accountEmail, text: 'ü'.repeat(20_000), html: `<p>${'€'.repeat(20_000)}</p>` }
  await resend({ from, apiKey: 'k', endpoint: vendor.url }).send(message)
  expect(JSON.parse(vendor.last().body)).toMatchObject({ text: message.text, html: message.html })
})
