import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import type { Message } from './delivery.ts'

const timeoutMs = 5_000 // 5 seconds

/** Through Cloudflare's `send_email` binding EMAIL, from MAIL_FROM. */
export async function sendEmail(env: Env, message: Message): Promise<void> {
  if (!env.EMAIL || !env.MAIL_FROM) throw new AppError('upstream_unavailable', 'Email is not set up on this server.')
  const { to, subject, text } = message
  const answered = new AbortController()
  const late = scheduler.wait(timeoutMs, { signal: answered.signal }).then(() => {
    throw new Error('The email service did not answer in time.')
  })
  try {
    await Promise.race([env.EMAIL.send({ from: { email: env.MAIL_FROM, name: 'Bursar' }, to, subject, text }), late])
  } catch (cause) {
    throw new AppError('upstream_unavailable', 'The email could not be sent. Please try again.', { cause })
  } finally {
    answered.abort()
  }
}
