import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import type { Message } from './delivery.ts'

/** Through Cloudflare's `send_email` binding EMAIL, from MAIL_FROM. */
export async function sendEmail(env: Env, message: Message): Promise<void> {
  if (!env.EMAIL || !env.MAIL_FROM) throw new AppError('upstream_unavailable', 'E-mail is not set up on this server.')
  const { to, subject, text } = message
  try {
    await env.EMAIL.send({ from: { email: env.MAIL_FROM, name: 'Bursar' }, to, subject, text })
  } catch (cause) {
    throw new AppError('upstream_unavailable', 'The e-mail could not be sent. Please try again.', { cause })
  }
}
