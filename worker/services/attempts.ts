import { countAttempt, forgetAttempts } from '../db/attempts.ts'
import type { Db } from '../db/session.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'

export const attemptWindowMs = 15 * 60_000 // 15 minutes

/** What is being guessed at, by whom. The database keeps a hash, not addresses. */
export const attemptKey = (kind: string, ...subjects: string[]) => `${kind}:${sha256(JSON.stringify(subjects))}`

/**
 * Count an attempt before its secret is looked at. Throws `rate_limited` beyond `max` in 15 minutes; a success calls
 * `forgetAttempts`. Counting first is what holds the cap when guesses come in parallel.
 */
export async function admitAttempt(db: Db, key: string, max: number, now: number): Promise<void> {
  const { count, resetsAt } = await countAttempt(db, key, attemptWindowMs, now)
  if (count > max) throw tooManyAttempts(resetsAt - now)
}

export function tooManyAttempts(waitMs: number): AppError {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const message = `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return new AppError('rate_limited', message, { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) })
}

export { forgetAttempts }
