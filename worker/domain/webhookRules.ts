/** How webhooks are delivered. Documented in docs/webhooks.md. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Per account. With six connections at once, each endpoint always has one of its own. */
export const maxWebhooks = 5
export const maxConnections = 6

/** An endpoint that has not responded by then has failed. */
export const attemptTimeoutMs = 15_000 // 15 seconds
/** An event is tried for so long; an endpoint that only failed for so long is disabled. */
export const retryForMs = 3 * dayMs
/** The first of its attempts begins a moment after the event was due. */
export const failedForMs = retryForMs - 5 * minuteMs
/** How long the secret before the last rotation signs beside the new one. */
export const oldSecretMs = dayMs

/** Deliveries that have ended are kept for so long, and no more than so many of an account. */
export const keepDeliveriesMs = 30 * dayMs
export const maxKeptDeliveries = 10_000
/** An endpoint for which more events wait is disabled. */
export const maxWaiting = 50_000
/** Of one delivery, the attempts that are listed. */
export const maxListedAttempts = 20

/** After this many failures in a row, of any events, an endpoint is tried one event at a time and ever more slowly. */
const failingAfter = 5
const maxSpacingMs = minuteMs
export const isFailing = (failures: number): boolean => failures >= failingAfter
/** Wait before the next attempt at a failing endpoint. */
export const spacingMs = (failures: number): number =>
  isFailing(failures) ? Math.min(maxSpacingMs, 1_000 * 2 ** Math.min(failures - failingAfter, 16)) : 0

/** Waits after the first, second … failed attempt of one event. */
const waits = [
  5_000,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  16 * hourMs,
]

/**
 * When an event is tried again after its `attempts`-th attempt failed at `now`; null: never. `since`: when it was first
 * due. `random` in [0, 1): the wait is lengthened by up to a fifth, so that not all come at once. The last attempt is at
 * the end of the three days.
 */
export function retryAt({
  attempts,
  since,
  now,
  random,
}: {
  attempts: number
  since: number
  now: number
  random: number
}) {
  const endsAt = since + retryForMs
  if (now >= endsAt) return null
  const wait = waits[Math.min(attempts, waits.length) - 1]!
  return Math.min(endsAt, now + Math.round(wait * (1 + random / 5)))
}

export const disableReasons = ['gone', 'failing', 'too_many_waiting'] as const
/** gone: it answered 410. failing: every attempt failed for three days. */
export type DisableReason = (typeof disableReasons)[number]
export const whyDisabled: Record<DisableReason, string> = {
  gone: 'it answered that it wants no more events (410)',
  failing: 'every attempt to send to it failed for three days',
  too_many_waiting: 'it takes fewer events than happen, and too many waited for it',
}
