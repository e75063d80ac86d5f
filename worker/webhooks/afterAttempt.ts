import { failedForMs, isFailing, retryAt, spacingMs } from '#domain/webhookRules.ts'
import type { WebhookTarget } from './api.ts'
import type { Outcome } from './attempt.ts'
import type { DueDelivery, EndpointRow, SenderStore } from './senderStore.ts'

type Attempted = {
  target: WebhookTarget
  delivery: DueDelivery
  outcome: Outcome
  /** When the attempt began (`at`) and ended (`now`), in ms. */
  at: number
  now: number
  random: number
}

/**
 * Records the outcome of an attempt: when the event is tried again, and whether the endpoint works. If the latter changed,
 * returns when the endpoint began to fail (`failingSince`, null if it works again), else null. Call inside a transaction.
 */
export function afterAttempt(
  store: SenderStore,
  { target, delivery, outcome, at, now, random }: Attempted,
): { failingSince: number | null } | null {
  const before = store.endpoint(target)
  const after = stateAfter(before, outcome, at, now)
  const { attempts, since } = delivery
  const isGone = after.disable === 'gone'
  const dueAt = outcome.isDelivered || isGone ? null : retryAt({ attempts: attempts + 1, since, now, random })
  const problem = isGone
    ? 'The address returned 410: it accepts no more events'
    : 'It could not be delivered in three days'
  store.record(delivery.seq, outcome, { at, now, dueAt, problem })
  if (outcome.isDelivered && before.failures === 0) return null
  store.saveEndpoint(after)
  if (isFailing(before.failures) && outcome.isDelivered) store.dueNow(target.id, now)
  if (isFailing(before.failures) === isFailing(after.failures)) return null
  return { failingSince: after.failing_since }
}

function stateAfter(before: EndpointRow, { isDelivered, status }: Outcome, at: number, now: number): EndpointRow {
  if (isDelivered) return { ...before, failures: 0, failing_since: null, next_at: 0 }
  const failures = before.failures + 1
  const since = before.failing_since ?? at
  const disable = status === 410 ? 'gone' : now - since >= failedForMs ? 'failing' : null
  return { ...before, failures, failing_since: since, next_at: now + spacingMs(failures), disable }
}
