import { dayMs } from './time.ts'

/**
 * How many new codes the sender may request for a payout. The recipient may request as many, one per pause, and then one a
 * day: anyone with the link could request them, which must not leave the recipient without a code.
 */
export const maxResends = 3
export const resendPauseMs = 60_000 // 1 minute
export const laterResendPauseMs = dayMs

/**
 * Counts of wrong passcodes. Five wrong tries in a row lock the payout for 15 minutes; after 20 a code stops working
 * and only a new one helps. `recent` counts since the last lock.
 */
export type Attempts = { total: number; recent: number /** ms */; lockedUntil: number }

/** Lifetime of a claim session after the right code. It is bound to the payout and to this version of the code. */
export const claimSessionMs = 15 * 60_000 // 15 minutes
export const triesBeforeLock = 5
export const lockMs = 15 * 60_000 // 15 minutes
export const maxTries = 20
const newCodePauseMs = dayMs

/**
 * When the recipient automatically gets a new code after 20 wrong tries, so that someone with only the link cannot lock them
 * out: immediately, and again a day after the last one, while all tries together stay within `maxPerPayout`. Null if only
 * the sender can renew the code.
 */
export function newCodeAt(
  sent: { count: number /** ms; 0: none */; lastAt: number },
  maxPerPayout: number,
  now: number,
): number | null {
  const triesWithOneMore = (sent.count + 2) * maxTries
  return triesWithOneMore > maxPerPayout ? null : Math.max(now, sent.lastAt + newCodePauseMs)
}

export type Allowed =
  | { ok: true }
  | { ok: false; message: string /** seconds; null if waiting does not help */; retryAfter: number | null }

/** `newCodeDueAt` is when a new code is sent automatically (ms), or null if none will be. */
export function attemptAllowed(attempts: Attempts, now: number, newCodeDueAt: number | null = null): Allowed {
  if (attempts.total >= maxTries) {
    if (newCodeDueAt === null)
      return { ok: false, message: 'Too many attempts. Ask the sender for a new code.', retryAfter: null }
    const waitMs = newCodeDueAt - now
    const when = waitMs <= 0 ? 'is on its way' : `will be sent in ${waitText(waitMs)}`
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
    return { ok: false, message: `Too many attempts: a code allows ${maxTries}. A new one ${when}.`, retryAfter }
  }
  if (now >= attempts.lockedUntil) return { ok: true }
  const waitMs = attempts.lockedUntil - now
  return {
    ok: false,
    message: `Too many attempts. Try again in ${waitText(waitMs)}.`,
    retryAfter: Math.ceil(waitMs / 1000),
  }
}

/** '1 minute', '15 minutes', '24 hours': rounded up, in minutes below two hours. */
export function waitText(waitMs: number): string {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const [count, unit] = minutes < 120 ? [minutes, 'minute'] : [Math.ceil(minutes / 60), 'hour']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The counts after a wrong try at `now`. The fifth in a row locks and resets `recent`. */
export function recordWrong(attempts: Attempts, now: number): Attempts {
  const recent = attempts.recent + 1
  const locks = recent >= triesBeforeLock
  return {
    total: attempts.total + 1,
    recent: locks ? 0 : recent,
    lockedUntil: locks ? now + lockMs : attempts.lockedUntil,
  }
}
