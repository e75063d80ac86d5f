import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { deliveryFrom, type Message } from '../../worker/delivery/delivery.ts'
import { payoutLinkMessage } from '../../worker/delivery/messages.ts'
import type { Env } from '../../worker/env.ts'
import { env, seed } from './apiClient.ts'

beforeAll(seed)
afterEach(() => vi.restoreAllMocks())

const aMessage = (over: Partial<Message> = {}): Message => ({
  id: crypto.randomUUID(),
  to: 'ann@bursar.test',
  channel: 'email',
  subject: 'Hello',
  text: 'World',
  ...over,
})
const production = (over: Partial<Env>) => deliveryFrom({ ...env, ENVIRONMENT: 'production', ...over })

describe('delivery', () => {
  test('the same id is one message', async () => {
    const message = aMessage()
    const delivery = deliveryFrom(env)
    await Promise.all([delivery.send(message), delivery.send(message)])
    const row = await env.DB.prepare('SELECT count(*) AS n FROM dev_inbox WHERE id = ?')
      .bind(message.id)
      .first<{ n: number }>()
    expect(row?.n).toBe(1)
  })

  test('email goes through the binding, once, and again after a failure', async () => {
    const send = vi.fn(async () => ({ messageId: 'm' }))
    const delivery = production({ EMAIL: { send } as unknown as SendEmail, MAIL_FROM: 'hello@bursar.example' })
    const message = aMessage()
    send.mockRejectedValueOnce(new Error('down'))
    await expect(delivery.send(message)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    await delivery.send(message)
    await delivery.send(message)
    expect(send).toHaveBeenCalledTimes(2)
    const from = { email: 'hello@bursar.example', name: 'Bursar' }
    expect(send).toHaveBeenLastCalledWith({ from, to: message.to, subject: 'Hello', text: 'World' })
  })

  test('SMS goes to the gateway with an idempotency key; a refusal is an error', async () => {
    const gateway = vi.spyOn(globalThis, 'fetch')
    const delivery = production({ SMS_URL: 'https://sms.example/send', SMS_KEY: 'key' })
    const message = aMessage({ channel: 'sms', to: '+4915112345678' })
    gateway.mockResolvedValueOnce(new Response('busy', { status: 503 }))
    await expect(delivery.send(message)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    gateway.mockResolvedValueOnce(new Response('{}'))
    await delivery.send(message)
    const [url, init] = gateway.mock.lastCall!
    expect(url).toBe('https://sms.example/send')
    expect(new Headers(init?.headers).get('idempotency-key')).toBe(message.id)
    expect(JSON.parse(String(init?.body))).toEqual({ id: message.id, to: message.to, text: 'World' })
  })

  test('what is not set up says so instead of pretending', async () => {
    const nothing = production({})
    for (const channel of ['email', 'sms'] as const)
      await expect(nothing.send(aMessage({ channel }))).rejects.toMatchObject({ code: 'upstream_unavailable' })
    const plain = production({ SMS_URL: 'http://sms.example', SMS_KEY: 'key' })
    await expect(plain.send(aMessage({ channel: 'sms' }))).rejects.toMatchObject({ code: 'upstream_unavailable' })
  })
})

describe('the payout message', () => {
  const input = {
    id: 'm',
    to: 'ann@bursar.test',
    senderName: 'Bob',
    amount: '12.5',
    memo: null,
    claimUrl: 'https://bursar.example/claim/t',
    code: '012345',
    expiresAt: Date.UTC(2026, 10, 20, 12),
  }

  test.each(['email', 'sms'] as const)('by %s has link and code alone on their lines', (channel) => {
    const { text, subject } = payoutLinkMessage({ ...input, channel })
    expect(text.split('\n')).toEqual(expect.arrayContaining([input.claimUrl, input.code]))
    expect(subject).toBe('Bob sent you 12.5 USDC')
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
