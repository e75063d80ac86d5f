import type { Context } from 'hono'
import { parseIdempotencyKey } from '#domain/idempotencyKey.ts'
import { AppError } from '../errors.ts'

const field = 'Idempotency-Key'

/** The caller's Idempotency-Key, or null if there is none. Throws `invalid_input` for a malformed or repeated header. */
export function idempotencyKey(c: Context): string | null {
  const header = c.req.header('idempotency-key')
  if (header === undefined) return null
  const key = parseIdempotencyKey(header)
  if (key === null)
    throw new AppError('invalid_input', 'Idempotency-Key must be one value of 1 to 255 visible ASCII characters.', {
      field,
    })
  return key
}

/** For agents, who must send a key because a retry without one could pay twice. */
export function requiredIdempotencyKey(c: Context): string {
  const key = idempotencyKey(c)
  if (key === null)
    throw new AppError(
      'invalid_input',
      'Send an Idempotency-Key header: a unique value that stays the same on every retry.',
      { field },
    )
  return key
}
