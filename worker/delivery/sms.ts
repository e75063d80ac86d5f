import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import type { Message } from './delivery.ts'

const timeoutMs = 5_000 // 5 seconds

/** POSTs `{id, to, text}` to the HTTPS gateway SMS_URL with SMS_KEY as bearer; the gateway deduplicates by Idempotency-Key. */
export async function sendSms(env: Env, message: Message): Promise<void> {
  if (!env.SMS_URL?.startsWith('https://') || !env.SMS_KEY)
    throw new AppError('upstream_unavailable', 'SMS is not set up on this server.')
  const { id, to, text } = message
  const failed = (cause: unknown) =>
    new AppError('upstream_unavailable', 'The SMS could not be sent. Please try again.', { cause })
  const response = await fetch(env.SMS_URL, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.SMS_KEY}`, 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ id, to, text }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause) => {
    throw failed(cause)
  })
  await response.body?.cancel()
  if (!response.ok) throw failed(new Error(`SMS gateway answered ${response.status}`))
}
