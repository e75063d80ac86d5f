/** Delivery reports signed by the vendors' own libraries. */
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { resendReport } from '../../worker/notifications/reports/resendReport.ts'
import { twilioReport } from '../../worker/notifications/reports/twilioReport.ts'
import { clientPath, importClient } from '../support/clients.ts'

const now = Date.UTC(2026, 10, 20, 12)
const reference = { message: Buffer.from('payout-link:pay_1:1').toString('base64url'), payout: 'pay_1' }

test('only delivery reports with a valid Resend signature are accepted, checked with its SDK’s library @messages-4', () => {
  const { Webhook } = createRequire(clientPath('resend/'))('standardwebhooks')
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`
  const body = JSON.stringify({ type: 'email.bounced', data: { tags: reference } })
  const sign = (text: string) => ({
    'svix-id': 'msg_1',
    'svix-timestamp': String(now / 1000),
    'svix-signature': `v1,b2xk ${new Webhook(secret).sign('msg_1', new Date(now), text)}`,
  })
  const read = (headers: Record<string, string>, at = now) =>
    resendReport(secret)({ url: '', headers: new Headers(headers), body }, at)
  expect(read(sign(body))).toEqual({
    messageId: 'payout-link:pay_1:1',
    payoutId: 'pay_1',
    channel: 'email',
    state: 'bounced',
  })
  expect(read(sign(`${body} `))).toBe('unauthenticated')
  expect(read(sign(body), now + 301_000)).toBe('unauthenticated')
  expect(read(sign(body), now - 301_000)).toBe('unauthenticated')
  expect(read({ ...sign(body), 'svix-signature': 'v1,' })).toBe('unauthenticated')
  expect(read({})).toBe('unauthenticated')
})

test('only delivery reports with a valid Twilio signature are accepted, checked with its SDK @messages-5', async () => {
  const { default: twilioSdk } = await importClient('twilio/lib/index.js')
  const url = `https://bursar.example/delivery-reports/twilio?${new URLSearchParams(reference)}`
  const form = { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30003', To: '+49 151' }
  const signature = twilioSdk.getExpectedTwilioSignature('token', url, form)
  const read = (over: { url?: string; status?: string; token?: string }) =>
    twilioReport(over.token ?? 'token')(
      {
        url: over.url ?? url,
        headers: new Headers({ 'x-twilio-signature': signature }),
        body: new URLSearchParams({ ...form, MessageStatus: over.status ?? form.MessageStatus }).toString(),
      },
      now,
    )
  expect(read({})).toEqual({
    messageId: 'payout-link:pay_1:1',
    payoutId: 'pay_1',
    channel: 'sms',
    state: 'undelivered',
  })
  expect(read({ status: 'delivered' })).toBe('unauthenticated')
  expect(read({ url: url.replace('pay_1', 'pay_2') })).toBe('unauthenticated')
  expect(read({ token: 'other' })).toBe('unauthenticated')
})
