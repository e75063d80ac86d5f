import { hourMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'
import { mailKinds, type OutboxKind, pushKinds } from './enqueue.ts'

export type Entry = { kind: OutboxKind; ref: string; seq: number; failures: number }

/** Maximum number of entries sent at once. */
const batchSize = 100
const firstRetryMs = 250
const maxRetryMs = 15_000 // 15 seconds
const maxMailRetryMs = hourMs

/** Due entries, those with the fewest failures first, so that failing ones do not hold up others. */
export const dueEntries = (ctx: Context, kinds: readonly OutboxKind[], limit = batchSize): Entry[] =>
  ctx.store.all<Entry>(
    `SELECT kind, ref, seq, failures FROM outbox WHERE kind IN (SELECT value FROM json_each(?)) AND due_at <= ?
     ORDER BY failures LIMIT ?`,
    JSON.stringify(kinds),
    ctx.now(),
    limit,
  )

/** Removes a sent entry. If a change was made meanwhile, it has raised the entry's seq, and the entry stays. */
export const markSent = (ctx: Context, entry: Entry) =>
  ctx.store.run('DELETE FROM outbox WHERE kind = ? AND ref = ? AND seq = ?', entry.kind, entry.ref, entry.seq)

/** Retries with doubling delays; messages that no provider accepts slow down to one attempt an hour. */
export function defer(ctx: Context, entry: Entry): void {
  const isMail = ([...mailKinds, ...pushKinds] as readonly string[]).includes(entry.kind)
  const waitMs = Math.min(isMail ? maxMailRetryMs : maxRetryMs, firstRetryMs * 2 ** Math.min(entry.failures, 14))
  ctx.store.run(
    'UPDATE outbox SET failures = failures + 1, due_at = ? WHERE kind = ? AND ref = ? AND seq = ?',
    ctx.now() + waitMs,
    entry.kind,
    entry.ref,
    entry.seq,
  )
}

/** When the next entry is due (ms); null if the outbox is empty. */
export function nextDueAt({ store, now }: Context): number | null {
  const next = store.first<{ at: number | null }>('SELECT min(due_at) AS at FROM outbox')?.at ?? null
  return next === null ? null : Math.max(next, now() + 50)
}

/**
 * Call in the same turn that reads the rows, so that a higher edition never carries an older row: D1 and the desks keep
 * the highest, and late or repeated deliveries are harmless.
 */
export function nextEdition(ctx: Context): number {
  const edition = (ctx.store.meta('edition') ?? 0) + 1
  ctx.store.setMeta('edition', edition)
  return edition
}
