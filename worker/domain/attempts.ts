/**
 * The sender may ask for this many new codes of a payout. The recipient may ask for as many, one per pause, and then for one
 * a day: somebody who has only the link could ask for them as well, and must not leave the recipient without.
 */
export const maxResends = 3
export const resendPauseMs = 60_000 // 1 minute
export const laterResendPauseMs = 24 * 60 * 60_000 // 24 hours

/**
 * Limits on wrong passcodes. Five wrong tries in a row lock for 15 minutes; after 20 in the life of a code only a new one
 * helps. `recent` counts since the last lock.
 */
export type Attempts = { total: number; recent: number /** ms */; lockedUntil: number }

/** After the right code, for this payout and this version of the code. */
export const claimSessionMs = 15 * 60_000 // 15 minutes
export const triesBeforeLock = 5
export const lockMs = 15 * 60_000 // 15 minutes
export const maxTries = 20
const newCodePauseMs = 24 * 60 * 60_000 // 24 hours

/**
 * When the recipient gets a new code by itself after 20 wrong tries, so that somebody who has only the link cannot lock
 * them out: at once, and again a day after the last one, as long as all tries together stay within `maxPerPayout`. Null:
 * only the sender can renew the code.
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

/** `newCodeDueAt`: when a new code is sent by itself, in ms; null if none will be. */
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

/** After a wrong try at `now`. The fifth in a row locks and resets `recent`. */
export function recordWrong(attempts: Attempts, now: number): Attempts {
  const recent = attempts.recent + 1
  const locks = recent >= triesBeforeLock
  return {
    total: attempts.total + 1,
    recent: locks ? 0 : recent,
    lockedUntil: locks ? now + lockMs : attempts.lockedUntil,
  }
}
