import { isoOf } from '#domain/time.ts'
import {
  failedForMs,
  isFailing,
  keepDeliveriesMs,
  maxKeptDeliveries,
  maxListedAttempts,
  maxWaiting,
  retryAt,
  spacingMs,
} from '#domain/webhookRules.ts'
import type { Delivery, DeliveryAttempt } from '#schemas/webhook.ts'
import { insert, replace, update } from '../durable/table.ts'
import type { OutgoingEvent, WebhookTarget } from './api.ts'
import type { Outcome } from './attempt.ts'
import {
  type DeliveryRow,
  delivery as deliveryTable,
  type EndpointRow,
  type EventRow,
  endpoint as endpointTable,
  event as eventTable,
} from './tables.ts'

export type DueDelivery = Pick<DeliveryRow, 'seq' | 'event_id' | 'attempts' | 'since'> & Pick<EventRow, 'body'>

/** The tables of a WebhookSender. */
export class SenderStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  #all<T>(query: string, ...values: (string | number | null)[]): T[] {
    return this.#sql.exec<Record<string, string | number | null>>(query, ...values).toArray() as T[]
  }
  #run(query: string, ...values: (string | number | null)[]): void {
    this.#sql.exec(query, ...values)
  }

  /** Adds an event and its deliveries. Known ones are left as they are. */
  add({ id, type, at, body, endpoints }: OutgoingEvent, now: number): void {
    insert(this.#sql, eventTable, { id, type, at, body }, 'ON CONFLICT DO NOTHING')
    for (const endpoint_id of endpoints) {
      const row = { event_id: id, endpoint_id, status: 'waiting', since: now, due_at: now } as const
      insert(this.#sql, deliveryTable, row, 'ON CONFLICT DO NOTHING')
    }
  }

  /** Ids of webhooks with waiting deliveries. */
  waitingFor(): string[] {
    return this.#endpointsOf("status = 'waiting'")
  }
  /** Ids of webhooks with any deliveries. */
  known(): string[] {
    return this.#endpointsOf('true')
  }
  /** Takes one step along the index for each webhook, however many deliveries it has. */
  #endpointsOf(where: string): string[] {
    return this.#all<{ id: string }>(
      `WITH RECURSIVE found(id) AS (
         SELECT min(endpoint_id) FROM delivery WHERE ${where}
         UNION ALL SELECT (SELECT min(endpoint_id) FROM delivery WHERE ${where} AND endpoint_id > found.id)
         FROM found WHERE found.id IS NOT NULL
       ) SELECT id FROM found WHERE id IS NOT NULL`,
    ).map(({ id }) => id)
  }
  waits(endpointId: string, count = 1): boolean {
    const query = "SELECT 1 FROM delivery WHERE endpoint_id = ? AND status = 'waiting' LIMIT 1 OFFSET ?"
    return this.#all(query, endpointId, count - 1).length > 0
  }
  isOverfull = (endpointId: string): boolean => this.waits(endpointId, maxWaiting)

  /** The endpoint's record. A record of an earlier version is reset, so attempts no longer wait for `next_at`. */
  endpoint({ id, version }: Pick<WebhookTarget, 'id' | 'version'>): EndpointRow {
    const [known] = this.#all<EndpointRow>('SELECT * FROM endpoint WHERE id = ?', id)
    if (known?.version === version) return known
    replace(this.#sql, endpointTable, { id, version })
    return { id, version, failures: 0, failing_since: null, next_at: 0, disable: null }
  }
  saveEndpoint({ id, failures, failing_since, next_at, disable }: EndpointRow): void {
    update(this.#sql, endpointTable, { id }, { failures, failing_since, next_at, disable })
  }
  endpoints(): EndpointRow[] {
    return this.#all<EndpointRow>('SELECT * FROM endpoint')
  }

  /** Due deliveries, longest overdue first, except those in `inProgress`. */
  due(endpointId: string, now: number, inProgress: readonly number[], limit: number): DueDelivery[] {
    return this.#all<DueDelivery>(
      `SELECT d.seq, d.event_id, d.attempts, d.since, e.body FROM delivery d JOIN event e ON e.id = d.event_id
       WHERE d.endpoint_id = ? AND d.status = 'waiting' AND d.due_at <= ? AND d.seq NOT IN (SELECT value FROM json_each(?))
       ORDER BY d.due_at, d.seq LIMIT ?`,
      endpointId,
      now,
      JSON.stringify(inProgress),
      limit,
    )
  }
  nextDueAt(endpointId: string, inProgress: readonly number[]): number | null {
    const [next] = this.#all<{ at: number }>(
      `SELECT due_at AS at FROM delivery
       WHERE endpoint_id = ? AND status = 'waiting' AND seq NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at LIMIT 1`,
      endpointId,
      JSON.stringify(inProgress),
    )
    return next?.at ?? null
  }
  /** How often a delivery was tried, and since when (ms). */
  progress(seq: number): Pick<DueDelivery, 'attempts' | 'since'> | undefined {
    return this.#all<DeliveryRow>('SELECT attempts, since FROM delivery WHERE seq = ?', seq)[0]
  }
  /** Sets when the attempt is repeated if a crash interrupts it. */
  postpone(seq: number, dueAt: number): void {
    update(this.#sql, deliveryTable, { seq }, { due_at: dueAt })
  }

  /** Records an attempt that began at `at`. `dueAt` is null if it was delivered, or is not repeated because of `problem`. */
  record(
    seq: number,
    { isDelivered, status, error }: Outcome,
    { at, now, dueAt, problem }: { at: number; now: number; dueAt: number | null; problem: string | null },
  ): void {
    const [row] = this.#all<DeliveryRow>('SELECT * FROM delivery WHERE seq = ?', seq)
    if (!row) return
    const log = [...(JSON.parse(row.log) as DeliveryAttempt[]), { at: isoOf(at), status, error, ms: now - at }]
    const state = isDelivered ? 'delivered' : dueAt === null ? 'failed' : 'waiting'
    const changes = {
      status: state,
      attempts: row.attempts + 1,
      due_at: state === 'waiting' ? dueAt : null,
      ended_at: state === 'waiting' ? null : now,
      log: JSON.stringify(log.slice(-maxListedAttempts)),
      problem: state === 'failed' ? problem : null,
    } as const
    update(this.#sql, deliveryTable, { seq }, changes)
  }
  /** Gives up deliveries that have waited for the endpoint since before `before`. */
  giveUp(endpointId: string, before: number, problem: string, now: number): void {
    this.#run(
      `UPDATE delivery SET status = 'failed', due_at = NULL, ended_at = ?, problem = ?
       WHERE endpoint_id = ? AND status = 'waiting' AND since < ?`,
      now,
      problem,
      endpointId,
      before,
    )
  }
  /** Deletes the deliveries from before `before`, and the record, of a webhook that no longer exists. */
  drop(endpointId: string, before: number): void {
    this.#run('DELETE FROM delivery WHERE endpoint_id = ? AND since < ?', endpointId, before)
    this.#run('DELETE FROM endpoint WHERE id = ?', endpointId)
  }
  /** Makes all waiting deliveries due now, because the endpoint works again. */
  dueNow(endpointId: string, now: number): void {
    const query = "UPDATE delivery SET due_at = ?2 WHERE endpoint_id = ?1 AND status = 'waiting' AND due_at > ?2"
    this.#run(query, endpointId, now)
  }
  restart(endpointId: string, eventId: string, now: number): void {
    const changes = { status: 'waiting', since: now, due_at: now, ended_at: null, problem: null } as const
    update(this.#sql, deliveryTable, { endpoint_id: endpointId, event_id: eventId }, changes)
  }

  page(endpointId: string, before: number | null, limit: number): { deliveries: Delivery[]; next: number | null } {
    const rows = this.#all<DeliveryRow & EventPart>(
      `SELECT d.*, e.type, e.at, e.body FROM delivery d JOIN event e ON e.id = d.event_id
       WHERE d.endpoint_id = ? AND d.seq < ? ORDER BY d.seq DESC LIMIT ?`,
      endpointId,
      before ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
    )
    const shown = rows.slice(0, limit)
    return { deliveries: shown.map(deliveryView), next: rows.length > limit ? shown.at(-1)!.seq : null }
  }
  delivery(endpointId: string, eventId: string): Delivery | null {
    const [row] = this.#all<DeliveryRow & EventPart>(
      `SELECT d.*, e.type, e.at, e.body FROM delivery d JOIN event e ON e.id = d.event_id
       WHERE d.endpoint_id = ? AND d.event_id = ?`,
      endpointId,
      eventId,
    )
    return row ? deliveryView(row) : null
  }

  /** Deletes old deliveries, and the oldest ones if there are too many. */
  prune(now: number): void {
    this.#run('DELETE FROM delivery WHERE ended_at < ?', now - keepDeliveriesMs)
    this.#run(
      `DELETE FROM delivery WHERE ended_at <= (
         SELECT ended_at FROM delivery WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1 OFFSET ?)`,
      maxKeptDeliveries,
    )
    this.#run('DELETE FROM event WHERE id NOT IN (SELECT event_id FROM delivery)')
  }
}

type EventPart = Pick<EventRow, 'type' | 'at' | 'body'>

const deliveryView = (row: DeliveryRow & EventPart): Delivery => ({
  id: row.event_id,
  type: row.type,
  createdAt: isoOf(row.at),
  status: row.status,
  attempts: row.attempts,
  attemptList: JSON.parse(row.log) as DeliveryAttempt[],
  nextAttemptAt: isoOf(row.due_at),
  problem: row.problem,
  body: row.body,
})

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
  // The owner may have asked for a replay during the attempt, which begins anew.
  const { attempts, since } = store.progress(delivery.seq) ?? delivery
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
