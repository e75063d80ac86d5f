import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Env } from '../../worker/env.ts'
import { type Message, messageProviderFrom } from '../../worker/notifications/messageProvider.ts'
import { payoutLinkMessage } from '../../worker/notifications/payoutMessages.ts'
import { env, seed } from './apiClient.ts'

beforeAll(seed)
afterEach(() => vi.restoreAllMocks())

const createMessage = (over: Partial<Message> = {}): Message => ({
  id: crypto.randomUUID(),
  to: 'ann@bursar.test',
  channel: 'email',
  subject: 'Hello',
  text: 'World',
  ...over,
})
const production = (over: Partial<Env>) => messageProviderFrom({ ...env, ENVIRONMENT: 'production', ...over })

describe('message providers', () => {
  test('messages with the same id are delivered once', async () => {
    const message = createMessage()
    const provider = messageProviderFrom(env)
    await Promise.all([provider.send(message), provider.send(message)])
    const row = await env.DB.prepare('SELECT count(*) AS n FROM dev_inbox WHERE id = ?')
      .bind(message.id)
      .first<{ n: number }>()
    expect(row?.n).toBe(1)
  })

  test('email goes through the binding once, and is retried after a failure', async () => {
    const send = vi.fn(async () => ({ messageId: 'm' }))
    const provider = production({ EMAIL: { send } as unknown as SendEmail, MAIL_FROM: 'hello@bursar.example' })
    const message = createMessage({ html: '<p>World</p>' })
    send.mockRejectedValueOnce(new Error('down'))
    await expect(provider.send(message)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    await provider.send(message)
    await provider.send(message)
    expect(send).toHaveBeenCalledTimes(2)
    const from = { email: 'hello@bursar.example', name: 'Bursar' }
    const content = { subject: 'Hello', text: 'World', html: '<p>World</p>' }
    expect(send).toHaveBeenLastCalledWith({ from, to: message.to, ...content })
  })

  test('recipients that the email binding suppresses are refused permanently', async () => {
    const error = Object.assign(new Error('ann@bursar.test is suppressed'), { code: 'E_RECIPIENT_SUPPRESSED' })
    const EMAIL = { send: () => Promise.reject(error) } as unknown as SendEmail
    const provider = production({ EMAIL, MAIL_FROM: 'hello@bursar.example' })
    await expect(provider.send(createMessage())).rejects.toMatchObject({ name: 'MessageRefused' })
  })

  test.each<[string, Partial<Env>]>([
    ['no sender', { EMAIL_PROVIDER: 'resend', RESEND_API_KEY: 'key' }],
    ['no binding', { MAIL_FROM: 'a@b.example' }],
    ['no Resend key', { MAIL_FROM: 'a@b.example', EMAIL_PROVIDER: 'resend' }],
    ['an unknown provider', { MAIL_FROM: 'a@b.example', EMAIL_PROVIDER: 'pigeon' as 'resend' }],
  ])('with %s email fails instead of dropping the message', async (_, settings) => {
    await expect(production(settings).send(createMessage())).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: 'Email is not set up on this server.',
    })
  })

  test('without a complete Twilio account, SMS fails instead of dropping the message', async () => {
    const sms = createMessage({ channel: 'sms', to: '+4915112345678' })
    const partial = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't' }
    for (const settings of [{}, partial])
      await expect(production(settings).send(sms)).rejects.toMatchObject({
        code: 'upstream_unavailable',
        message: 'SMS is not set up on this server.',
      })
  })
})

describe('the payout message', () => {
  const input = {
    id: 'm',
    payoutId: 'pay_1',
    to: 'ann@bursar.test',
    senderName: 'Bob',
    amount: '12.5',
    memo: null,
    claimUrl: 'https://bursar.example/claim/t',
    code: '012345',
    expiresAt: Date.UTC(2026, 10, 20, 12),
  }

  test.each(['email', 'sms'] as const)('the payout message by %s has link and code on separate lines', (channel) => {
    const { text, subject } = payoutLinkMessage({ ...input, channel })
    expect(text.split('\n')).toEqual(expect.arrayContaining([input.claimUrl, input.code]))
    expect(subject).toBe('You were sent 12.50 USDC')
    expect(text.includes('USDC is a digital dollar'), 'an SMS has no room for it').toBe(channel === 'email')
    expect(payoutLinkMessage({ ...input, channel, isTest: true }).text).not.toContain('digital dollar')
    expect(text).toContain('November 20, 2026')
  })

  test('a sender’s name and note cannot pose as our text', () => {
    const senderName = `Bob\r\nBcc: all@bursar.test\n${'x'.repeat(100)}`
    const { subject, text } = payoutLinkMessage({
      ...input,
      channel: 'email',
      senderName,
      memo: 'Hi\n\nYour code:\n\n999999',
    })
    expect(subject).not.toMatch(/[\r\n]/)
    expect(subject.length).toBeLessThan(100)
    expect(text.split('\n').filter((line) => /^\d{6}$/.test(line))).toEqual([input.code])
  })
})
