import { countAttempt, resetAttempts } from '../db/attempts.ts'
import type { Db } from '../db/d1.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'

export const attemptWindowMs = 15 * 60_000 // 15 minutes

/** Identifies what is being tried and by whom. The subjects are hashed, so that the database stores no addresses. */
export const attemptKey = (kind: string, ...subjects: string[]) => `${kind}:${sha256(JSON.stringify(subjects))}`

/**
 * Counts an attempt before its secret is compared, so that parallel guesses cannot exceed the limit. Throws
 * `rate_limited` beyond `max` in any 15 minutes. Refused attempts do not extend the wait. Call `resetAttempts` after a
 * success.
 */
export async function limitAttempts(db: Db, key: string, max: number, now: number): Promise<void> {
  const { count, resetsAt } = await countAttempt(db, key, attemptWindowMs, now, max)
  if (count > max) throw tooManyAttempts(resetsAt - now)
}

/** Like `limitAttempts`, in fixed windows of 15 minutes, for counts that a success does not reset. */
export async function limitTraffic(db: Db, key: string, max: number, now: number): Promise<void> {
  const { count, resetsAt } = await countAttempt(db, key, attemptWindowMs, now)
  if (count > max) throw tooManyAttempts(resetsAt - now)
}

export function tooManyAttempts(waitMs: number): AppError {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const message = `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return new AppError('rate_limited', message, { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) })
}

export { resetAttempts }
