import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { mailboxOf } from '#domain/email.ts'
import { dayEndsAt } from '#domain/gasAllowance.ts'
import { limitsFrom } from '#domain/limits.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import {
  type Count,
  type Counter,
  countAttempt,
  counting,
  countSignIn,
  resetAttempts,
  resetting,
  takeBackAttempt,
  takingBack,
} from '../db/attempts.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'

const windowMs = 15 * minuteMs

/**
 * What D1 counts with fixed figures, by the names of the keys. Those that slide are of wrong secrets: a success resets them, and
 * refused ones do not extend the wait. The figures of the others below are settings.
 */
const attemptLimits = {
  login: { max: 5, windowMs, slides: true },
  'change-password': { max: 5, windowMs, slides: true },
  'device-code': { max: 5, windowMs, slides: true },
  signup: { max: 10, windowMs, slides: true },
  /** From one network address, for all accounts together: an address that tries many costs us a password hash each time. */
  'login-address': { max: 1000, windowMs },
  /** Codes and tokens of links that one network address tries, for all accounts together. */
  'proof-address': { max: 100, windowMs },
  /** Each may cost an account, a password hash and an unwanted email, and a stranger can name a new email every time. */
  'code-address': { max: 100, windowMs },
  'code-pause': { max: 1, windowMs: minuteMs },
  'code-hour': { max: 5, windowMs: hourMs },
  /** From one network address: each writes a row. */
  authorize: { max: 200, windowMs },
  register: { max: 20, windowMs: hourMs },
  /** The seller may charge or block us for unused sessions. */
  onramp: { max: 30, windowMs: hourMs },
  /** To one mailbox, by all accounts together. */
  invitation: { max: 5, windowMs: dayMs },
  /** Sign-ins to an account from a network address, which is known for 30 days after the last one. */
  'known-address': { max: Number.MAX_SAFE_INTEGER, windowMs: 30 * dayMs, slides: true },
} satisfies Record<string, Omit<Counter, 'key'>>
type AttemptName = keyof typeof attemptLimits

/** Identifies what is being tried and by whom. The subjects are hashed, so that the database stores no addresses. */
export const attemptKey = (name: string, ...subjects: string[]) => `${name}:${sha256(JSON.stringify(subjects))}`

export const counterOf = (name: AttemptName, ...subjects: string[]): Counter => ({
  key: attemptKey(name, ...subjects),
  ...attemptLimits[name],
})

/**
 * Counts an attempt, before a secret is compared, so that parallel guesses cannot exceed the limit. Throws `rate_limited` beyond
 * it. Returns a function that resets the count after a success.
 */
export async function limitAttempts(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  name: AttemptName,
  ...subjects: string[]
): Promise<() => Promise<void>> {
  const counter = counterOf(name, ...subjects)
  const now = clock()
  refuseMore(await countAttempt(db, counter, now), counter, now)
  return () => resetAttempts(db, counter.key)
}

function refuseMore({ count, resetsAt }: Count, { max }: Counter, now: number): void {
  if (count > max) throw tooManyAttempts(resetsAt - now)
}

function tooManyAttempts(waitMs: number): AppError {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const message = `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return new AppError('rate_limited', message, { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) })
}

/**
 * Limits on codes, links and passwords. They count per email address, whether or not it has an account, and the responses
 * are the same in both cases.
 */

/**
 * Limits signups and code requests from one network address, and codes and passwords mailed to one mailbox, with or without
 * an account: 60 seconds apart and five an hour. Returns a function that takes the mail back because it was not sent.
 */
export async function limitCodeRequests(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  purpose: 'confirm' | 'reset',
  email: string,
  address: string,
): Promise<() => Promise<void>> {
  const now = clock()
  await limitAttempts({ db, now: clock }, 'code-address', address)
  const mailbox = mailboxOf(email)
  const pauseCounter = counterOf('code-pause', purpose, mailbox)
  const hourCounter = counterOf('code-hour', purpose, mailbox)
  const pause = await countAttempt(db, pauseCounter, now)
  if (pause.count > 1) {
    const seconds = Math.max(1, Math.ceil((pause.resetsAt - now) / 1000))
    const message = `Please wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'} before asking for another code.`
    throw new AppError('rate_limited', message, { field: 'email', retryAfter: seconds })
  }
  refuseMore(await countAttempt(db, hourCounter, now), hourCounter, now)
  return async () => {
    await takeBackAttempt(db, pauseCounter.key)
    await takeBackAttempt(db, hourCounter.key)
  }
}

/** Longer than a month: 12 of these exceed a year, so a year never allows more than 12 times the limit. */
const codeMonthMs = 31 * dayMs

/**
 * Counts a code as wrong before it is compared. Returns a function that undoes the count if it was right. Counts per email
 * address, for all purposes and from all network addresses. Throws `rate_limited` beyond the limit; the link in the mail
 * still works then, so that a stranger's guesses do not lock the owner out.
 */
export async function limitWrongCodes(
  { env, db, now }: Pick<Deps, 'env' | 'db' | 'now'>,
  email: string,
): Promise<() => Promise<void>> {
  const { wrongCodesPerMonth: max } = limitsFrom(env)
  const key = attemptKey('wrong-code', email)
  const { count, resetsAt } = await countAttempt(db, { key, windowMs: codeMonthMs, max, slides: true }, now())
  if (count <= max) return () => takeBackAttempt(db, key)
  const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(resetsAt)
  throw new AppError(
    'rate_limited',
    `Too many wrong codes: at most ${max} in 31 days. Use the link in our email instead: codes are refused until ${until}.`,
    { field: 'code', retryAfter: Math.ceil((resetsAt - now()) / 1000) },
  )
}

const passwordsKey = (email: string, isKnown: boolean) => attemptKey(isKnown ? 'passwords-known' : 'passwords', email)

/**
 * At most `passwordsPerDay` wrong passwords of an account are checked per UTC day from all network addresses together. Some
 * of these are reserved for known addresses, so that strangers cannot lock the owner out.
 */
function passwordCounter({ env, now }: Pick<Deps, 'env' | 'now'>, email: string, isKnown: boolean): Counter {
  const { passwordsPerDay, passwordsKeptForKnownAddresses } = limitsFrom(env)
  const kept = Math.min(passwordsKeptForKnownAddresses, passwordsPerDay)
  const max = isKnown ? kept : passwordsPerDay - kept
  return { key: passwordsKey(email, isKnown), windowMs: dayEndsAt(now()) - now(), max }
}

/** Throws `rate_limited` beyond the limit. */
function refuseMorePasswords({ env }: Pick<Deps, 'env'>, { max, windowMs }: Counter, { count }: Count): void {
  if (count <= max) return
  throw new AppError(
    'rate_limited',
    `Too many attempts: at most ${limitsFrom(env).passwordsPerDay} passwords are checked per account and day. Try again after 00:00 UTC, or choose a new password with "Forgot password?".`,
    { retryAfter: Math.ceil(windowMs / 1000) },
  )
}

/**
 * Counts a password of an account before it is checked, as one from a known network address. Returns a function that undoes
 * the count if it was right. Throws `rate_limited` beyond the limit.
 */
export async function limitPasswords(
  deps: Pick<Deps, 'env' | 'db' | 'now'>,
  email: string,
): Promise<() => Promise<void>> {
  const counter = passwordCounter(deps, email, true)
  refuseMorePasswords(deps, counter, await countAttempt(deps.db, counter, deps.now()))
  return () => takeBackAttempt(deps.db, counter.key)
}

/**
 * Counts a sign-in before its password is checked, and runs `reads` in the same round trip. `address` is the caller's network
 * address. An account allows five wrong passwords per address in 15 minutes, and a daily number from all addresses
 * together, so that many strangers can neither keep guessing nor lock the owner out. Throws `rate_limited` beyond a limit.
 * `ifRight`: statements that undo the counts and remember the address, for a password that was right.
 */
export async function admitSignIn<Reads extends BatchItem<'sqlite'>[]>(
  deps: Pick<Deps, 'env' | 'db' | 'now'>,
  email: string,
  address: string,
  reads: Reads,
): Promise<{ rows: BatchResponse<Reads>; ifRight: BatchItem<'sqlite'>[] }> {
  const { db } = deps
  const now = deps.now()
  // Beyond the limit of the address nothing is written.
  const ofAddress = counterOf('login-address', address)
  const ofAccount = counterOf('login', email, address)
  const known = counterOf('known-address', email, address)
  const signIn = {
    all: [ofAddress, ofAccount],
    knownKey: known.key,
    known: passwordCounter(deps, email, true),
    others: passwordCounter(deps, email, false),
  }
  const { counts, last, rows } = await countSignIn(db, signIn, reads, now)
  const [first, second, third] = counts
  refuseMore(first!, ofAddress, now)
  refuseMore(second!, ofAccount, now)
  refuseMorePasswords(deps, last, third!)
  const ifRight = [resetting(db, ofAccount.key), ...takingBack(db, last.key), counting(db, known, now)]
  return { rows, ifRight }
}

/** Lets an owner who has just chosen a password by email sign in from this address, even if a limit was reached. */
export async function admitOwner({ db, now }: Pick<Deps, 'db' | 'now'>, email: string, address: string): Promise<void> {
  await db.batch([
    resetting(db, attemptKey('login', email, address)),
    resetting(db, passwordsKey(email, true)),
    counting(db, counterOf('known-address', email, address), now()),
  ])
}
