import type { Env } from '../../env.ts'
import type { MessageProvider } from '../message.ts'
import { amazonSes } from './amazonSes.ts'
import { notSetUp } from './callVendor.ts'
import { cloudflareEmail } from './cloudflareEmail.ts'
import { postmark } from './postmark.ts'
import { resend } from './resend.ts'
import { twilio } from './twilio.ts'

/** Throws `upstream_unavailable`, whose cause names the missing settings. */
export function emailProvider(env: Env, now: () => number): MessageProvider {
  const from = `Bursar <${required(env, 'email', 'MAIL_FROM')}>`
  const endpoint = env.EMAIL_ENDPOINT ? { endpoint: env.EMAIL_ENDPOINT } : {}
  switch (env.EMAIL_PROVIDER || 'cloudflare') {
    case 'resend':
      return resend({ from, apiKey: required(env, 'email', 'RESEND_API_KEY'), ...endpoint })
    case 'postmark': {
      const stream = env.POSTMARK_STREAM ? { stream: env.POSTMARK_STREAM } : {}
      return postmark({ from, serverToken: required(env, 'email', 'POSTMARK_SERVER_TOKEN'), ...stream, ...endpoint })
    }
    case 'ses': {
      const credentials = {
        accessKeyId: required(env, 'email', 'SES_ACCESS_KEY_ID'),
        secretAccessKey: required(env, 'email', 'SES_SECRET_ACCESS_KEY'),
      }
      return amazonSes({ from, region: required(env, 'email', 'SES_REGION'), credentials, ...endpoint }, now)
    }
    case 'cloudflare':
      if (!env.EMAIL) throw notSetUp('email', 'the send_email binding EMAIL is missing')
      return cloudflareEmail({ binding: env.EMAIL, from: required(env, 'email', 'MAIL_FROM') })
    default:
      throw notSetUp('email', 'EMAIL_PROVIDER must be cloudflare, resend, postmark or ses')
  }
}

/** Throws `upstream_unavailable`, whose cause names the missing settings. */
export const smsProvider = (env: Env): MessageProvider =>
  twilio({
    accountSid: required(env, 'sms', 'TWILIO_ACCOUNT_SID'),
    authToken: required(env, 'sms', 'TWILIO_AUTH_TOKEN'),
    from: required(env, 'sms', 'TWILIO_FROM'),
    apiOrigin: env.API_ORIGIN,
    ...(env.SMS_ENDPOINT ? { endpoint: env.SMS_ENDPOINT } : {}),
  })

type MessageSetting = Extract<keyof Env, `${'MAIL' | 'RESEND' | 'POSTMARK' | 'SES' | 'TWILIO'}_${string}`>

function required(env: Env, channel: 'email' | 'sms', name: MessageSetting): string {
  const value = env[name]
  if (!value) throw notSetUp(channel, `${name} is not set`)
  return value
}
