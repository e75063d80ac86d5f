import { dayMs, hourMs, minuteMs } from './time.ts'

/** Rules of webhook delivery, documented in docs/webhooks.md. */

/** Per account. With six concurrent connections, every endpoint always has its own. */
export const maxWebhooks = 5
export const maxConnections = 6

/** An attempt without a response by then has failed. */
export const attemptTimeoutMs = 15_000 // 15 seconds
/** How long an event is retried. An endpoint that has only failed for this long is disabled. */
export const retryForMs = 3 * dayMs
/** Slightly shorter, because the first attempt begins a moment after the event was due. */
export const failedForMs = retryForMs - 5 * minuteMs
/** How long the previous secret also signs after a rotation. */
export const oldSecretMs = dayMs

/** How long, and how many per account, finished deliveries are kept. */
export const keepDeliveriesMs = 30 * dayMs
export const maxKeptDeliveries = 10_000
/** An endpoint with more waiting events than this is disabled. */
export const maxWaiting = 50_000
/** Maximum number of attempts listed per delivery. */
export const maxListedAttempts = 20

/** After this many consecutive failures of any events, an endpoint gets one event at a time, at growing intervals. */
const failingAfter = 5
const maxSpacingMs = minuteMs
export const isFailing = (failures: number): boolean => failures >= failingAfter
/** Delay before the next attempt at a failing endpoint (ms). */
export const spacingMs = (failures: number): number =>
  isFailing(failures) ? Math.min(maxSpacingMs, 1_000 * 2 ** Math.min(failures - failingAfter, 16)) : 0

/** Delays after the first, second … failed attempt of one event. */
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
 * When an event is retried after its `attempts`-th attempt failed at `now`, or null if it is not. `since` is when it was
 * first due. `random` in [0, 1) lengthens the delay by up to a fifth, to spread retries. The last attempt is at the end of
 * the three days.
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
/** gone: it returned 410. failing: every attempt failed for three days. */
export type DisableReason = (typeof disableReasons)[number]
export const whyDisabled: Record<DisableReason, string> = {
  gone: 'it responded that it no longer wants events (410)',
  failing: 'every attempt to send to it failed for three days',
  too_many_waiting: 'it accepts events more slowly than they occur, and too many were waiting for it',
}
