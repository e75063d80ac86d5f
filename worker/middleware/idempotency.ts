import type { Context } from 'hono'
import { AppError } from '../errors.ts'

/**
 * The caller's Idempotency-Key, bare or as the quoted string of the IETF draft; null when absent.
 * 1 to 255 visible ASCII characters, one header only.
 */
export function idempotencyKey(c: Context): string | null {
  const header = c.req.header('idempotency-key')
  if (header === undefined) return null
  const key = /^"([\x21\x23-\x7e]*)"$/.exec(header)?.[1] ?? header
  if (!/^[\x21-\x7e]{1,255}$/.test(key) || key.includes(','))
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
