import type { Context } from 'hono'
import { AppError } from '../errors.ts'

/** One key of 1 to 255 visible ASCII characters, bare or as the quoted string of the IETF draft; null for anything else. */
export function keyIn(text: string): string | null {
  const key = /^"([\x21\x23-\x7e]*)"$/.exec(text)?.[1] ?? text
  return /^[\x21-\x7e]{1,255}$/.test(key) && !key.includes(',') ? key : null
}

/** The caller's Idempotency-Key; null when absent. One header only. */
export function idempotencyKey(c: Context): string | null {
  const header = c.req.header('idempotency-key')
  if (header === undefined) return null
  const key = keyIn(header)
  if (key === null)
    throw new AppError('invalid_input', 'Idempotency-Key must be one value of 1 to 255 visible ASCII characters.', {
      field: 'Idempotency-Key',
    })
  return key
}

/** For agents, who must send one: a retry without it could pay twice. */
export function requiredIdempotencyKey(c: Context): string {
  const key = idempotencyKey(c)
  if (key === null)
    throw new AppError(
      'invalid_input',
      'Send an Idempotency-Key header: a value of your own that is the same on every retry.',
      { field: 'Idempotency-Key' },
    )
  return key
}
