/** Cloudflare's adapter against the `send_email` binding as Miniflare implements it. */
import { readFileSync } from 'node:fs'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { afterAll, expect, test } from 'vitest'
import { payoutLinkMessage } from '../../worker/notifications/payoutMessages.ts'
import { cloudflareEmail } from '../../worker/notifications/providers/cloudflareEmail.ts'
import { within } from '../support/patience.ts'

let logged = ''
class RecordingLog extends Log {
  override log(text: string) {
    logged += `${text}\n`
  }
}
const options = convertV4MiniflareOptions({
  modules: true,
  script: 'export default { fetch: () => new Response() }',
  compatibilityDate: '2026-11-01',
  cf: false,
  email: { send_email: [{ name: 'EMAIL', allowed_sender_addresses: ['hello@bursar.example'] }] },
})
const miniflare = new Miniflare({ ...options, log: new RecordingLog(LogLevel.INFO) })
afterAll(() => miniflare.dispose())

const message = {
  ...payoutLinkMessage({
    id: 'payout-link:pay_1:1',
    payoutId: 'pay_1',
    to: 'ann@example.com',
    channel: 'email',
    senderName: 'Zoë',
    amount: '5',
    memo: null,
    claimUrl: 'https://bursar.example/claim/abc',
    code: '012345',
    expiresAt: Date.UTC(2026, 10, 20, 12),
  }),
  subject: 'Zoë sent you 5 USDC',
}

test('the binding receives sender, recipient, subject, text and HTML @messages-3', async () => {
  const { EMAIL } = await miniflare.getBindings<{ EMAIL: SendEmail }>()
  await cloudflareEmail({ binding: EMAIL, from: 'hello@bursar.example' }).send(message)
  await expect.poll(() => logged, within(10_000)).toMatch(/HTML: /)
  expect(logged).toMatch(/From: .*Bursar.*hello@bursar\.example/)
  expect(logged).toContain('To: ann@example.com')
  expect(logged).toContain('Subject: Zoë sent you 5 USDC')
  const part = (name: string) => readFileSync(new RegExp(`${name}: (.+)`).exec(logged)![1]!.trim(), 'utf8')
  expect(part('Text')).toBe(message.text)
  expect(part('HTML')).toBe(message.html)
})

test('a sender that the binding does not allow is a retryable failure', async () => {
  const { EMAIL } = await miniflare.getBindings<{ EMAIL: SendEmail }>()
  const provider = cloudflareEmail({ binding: EMAIL, from: 'other@bursar.example' })
  await expect(provider.send(message)).rejects.toMatchObject({ name: 'AppError', code: 'upstream_unavailable' })
})
