import { countAttempt, forgetAttempts, hasAttempts } from '../db/attempts.ts'
import type { Db } from '../db/session.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'

export const attemptWindowMs = 15 * 60_000 // 15 minutes

/** What is being guessed at, by whom. The database keeps a hash, not addresses. */
export const attemptKey = (kind: string, ...subjects: string[]) => `${kind}:${sha256(JSON.stringify(subjects))}`

/**
 * Count an attempt before its secret is looked at. Throws `rate_limited` beyond `max` in any 15 minutes; a success calls
 * `forgetAttempts`. Counting first is what holds the cap when guesses come in parallel. Refused attempts do not prolong
 * the wait.
 */
export async function admitAttempt(db: Db, key: string, max: number, now: number): Promise<void> {
  const { count, resetsAt } = await countAttempt(db, key, attemptWindowMs, now, max)
  if (count > max) throw tooManyAttempts(resetsAt - now)
}

/** The same for what nobody's success clears, such as all traffic of one address: every 15 minutes begin afresh. */
export async function admitTraffic(db: Db, key: string, max: number, now: number): Promise<void> {
  const { count, resetsAt } = await countAttempt(db, key, attemptWindowMs, now)
  if (count > max) throw tooManyAttempts(resetsAt - now)
}

const maxCodeCalls = 100

/**
 * Signing up and asking for a code, from one network address: each may cost us an account, a password hash and a mail to
 * somebody who did not ask for it, and a stranger can name a new email every time.
 */
export const admitCodeCall = (db: Db, address: string, now: number): Promise<void> =>
  admitTraffic(db, attemptKey('code-address', address), maxCodeCalls, now)

const codePauseMs = 60_000 // 60 seconds
const codesPerHour = 5

/**
 * Before a code is mailed: 60 seconds apart and five an hour for one email address, whether or not it has an account.
 * With five tries each, that is what guessing codes can never exceed.
 */
export async function admitCodeRequest(db: Db, purpose: string, email: string, now: number): Promise<void> {
  const pause = await countAttempt(db, attemptKey('code-pause', purpose, email), codePauseMs, now)
  if (pause.count > 1) {
    const seconds = Math.max(1, Math.ceil((pause.resetsAt - now) / 1000))
    const message = `Please wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'} before asking for another code.`
    throw new AppError('rate_limited', message, { field: 'email', retryAfter: seconds })
  }
  const hour = await countAttempt(db, attemptKey('code-hour', purpose, email), 60 * 60_000, now)
  if (hour.count > codesPerHour) throw tooManyAttempts(hour.resetsAt - now)
}

const knownMs = 30 * 24 * 60 * 60_000 // 30 days
const knownKey = (email: string, address: string) => attemptKey('known-address', email, address)

/** A network address from which this account was signed in to within 30 days: other people's guesses do not count here. */
export const isKnownAddress = (db: Db, email: string, address: string, now: number) =>
  hasAttempts(db, knownKey(email, address), now)

export async function rememberAddress(db: Db, email: string, address: string, now: number): Promise<void> {
  await countAttempt(db, knownKey(email, address), knownMs, now, Number.MAX_SAFE_INTEGER)
}

export function tooManyAttempts(waitMs: number): AppError {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const message = `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return new AppError('rate_limited', message, { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) })
}

export { forgetAttempts }
