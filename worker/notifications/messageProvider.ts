import type { Bindings } from '../bindings.ts'
import { type Db, openDb } from '../db/d1.ts'
import { insertDevMessage, recordChannel, recordDelivery, wasDelivered } from '../db/messages.ts'
import { type Message, type MessageProvider, MessageRefused } from './message.ts'
import { notSetUp } from './providers/callVendor.ts'
import { cloudflareEmail } from './providers/cloudflareEmail.ts'
import { resend } from './providers/resend.ts'
import { twilio } from './providers/twilio.ts'

export type { Message, MessageProvider }

/** The dev inbox on local stacks and in tests; each channel's configured provider in production. */
export function messageProviderFrom(
  env: Bindings,
  db: Db = openDb(env.DB).db,
  now: () => number = Date.now,
): MessageProvider {
  if (env.ENVIRONMENT !== 'production') return devInbox(db, now)
  return {
    async send(message) {
      if (await wasDelivered(db, message.id)) return
      const { id, payoutId = null, channel } = message
      const provider = channel === 'email' ? emailProvider(env) : smsProvider(env)
      try {
        await provider.send(message)
      } catch (error) {
        await recordChannel(db, channel, error instanceof MessageRefused, now())
        // The payout shows the failure. A retry would not help; the sender can reclaim the money.
        if (!(error instanceof MessageRefused) || payoutId === null) throw error
        await recordDelivery(db, { id, payoutId, channel, state: 'undelivered' }, now())
        return
      }
      await recordChannel(db, channel, true, now())
      // Recorded after sending, so that a crash in between sends a second copy instead of losing a code.
      await recordDelivery(db, { id, payoutId, channel, state: 'accepted' }, now())
    },
  }
}

/** Throws `upstream_unavailable`, whose cause names the missing settings. */
export function emailProvider(env: Bindings): MessageProvider {
  const from = `Bursar <${required(env, 'email', 'MAIL_FROM')}>`
  const endpoint = env.EMAIL_ENDPOINT ? { endpoint: env.EMAIL_ENDPOINT } : {}
  switch (env.EMAIL_PROVIDER || 'cloudflare') {
    case 'resend':
      return resend({ from, apiKey: required(env, 'email', 'RESEND_API_KEY'), ...endpoint })
    case 'cloudflare':
      if (!env.EMAIL) throw notSetUp('email', 'the send_email binding EMAIL is missing')
      return cloudflareEmail({ binding: env.EMAIL, from: required(env, 'email', 'MAIL_FROM') })
    default:
      throw notSetUp('email', 'EMAIL_PROVIDER must be cloudflare or resend')
  }
}

/** Throws `upstream_unavailable`, whose cause names the missing settings. */
export const smsProvider = (env: Bindings): MessageProvider =>
  twilio({
    accountSid: required(env, 'sms', 'TWILIO_ACCOUNT_SID'),
    authToken: required(env, 'sms', 'TWILIO_AUTH_TOKEN'),
    from: required(env, 'sms', 'TWILIO_FROM'),
    apiOrigin: env.API_ORIGIN,
    ...(env.SMS_ENDPOINT ? { endpoint: env.SMS_ENDPOINT } : {}),
  })

type MessageSetting = Extract<keyof Bindings, `${'MAIL' | 'RESEND' | 'TWILIO'}_${string}`>

function required(env: Bindings, channel: 'email' | 'sms', name: MessageSetting): string {
  const value = env[name]
  if (!value) throw notSetUp(channel, `${name} is not set`)
  return value
}

/** Stores messages for /dev/inbox instead of sending them. */
export const devInbox = (db: Db, now: () => number): MessageProvider => ({
  send: (message) => insertDevMessage(db, message, now()),
})
