/** Passcode attempts of one payout's code (decisions.md 32). */
export type Attempts = { total: number; recent: number /** ms */; lockedUntil: number }

export const triesBeforeLock = 5
export const lockMs = 15 * 60_000 // 15 minutes
/** In a code's life; then only a new code from the sender helps. */
export const triesInLife = 20

export type Allowed =
  | { ok: true }
  | { ok: false; message: string /** seconds; null: waiting does not help */; retryAfter: number | null }

export function attemptAllowed(attempts: Attempts, now: number): Allowed {
  if (attempts.total >= triesInLife)
    return { ok: false, message: 'Too many attempts. Ask the sender for a new code.', retryAfter: null }
  if (now >= attempts.lockedUntil) return { ok: true }
  const minutes = Math.ceil((attempts.lockedUntil - now) / 60_000)
  return {
    ok: false,
    message: `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    retryAfter: Math.ceil((attempts.lockedUntil - now) / 1000),
  }
}

/** After a wrong try at `now`: the fifth in a row locks, and the row starts anew after the lock. */
export function recordWrong(attempts: Attempts, now: number): Attempts {
  const recent = attempts.recent + 1
  const locks = recent >= triesBeforeLock
  return {
    total: attempts.total + 1,
    recent: locks ? 0 : recent,
    lockedUntil: locks ? now + lockMs : attempts.lockedUntil,
  }
}
