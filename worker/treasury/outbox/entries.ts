import type { Context } from '../context.ts'
import { mailKinds, type OutboxKind, pushKinds } from './enqueue.ts'

export type Entry = { kind: OutboxKind; ref: string; seq: number; failures: number }

/** Entries sent at once; rows of the read model go in one D1 batch. */
export const batchSize = 100
const firstRetryMs = 250
const maxRetryMs = 15_000 // 15 seconds
const maxMailRetryMs = 3_600_000 // 1 hour

/** Entries that failed least come first, so that failing ones do not hide others. */
export const dueEntries = (ctx: Context, kinds: readonly OutboxKind[], limit = batchSize): Entry[] =>
  ctx.store.all<Entry>(
    `SELECT kind, ref, seq, failures FROM outbox WHERE kind IN (SELECT value FROM json_each(?)) AND due_at <= ?
     ORDER BY failures LIMIT ?`,
    JSON.stringify(kinds),
    ctx.now(),
    limit,
  )

/** Removes what was sent. A change made meanwhile has raised the entry's seq, so it stays. */
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

/** When the rest is due (ms); null: the outbox is empty. */
export function nextDueAt({ store, now }: Context): number | null {
  const next = store.first<{ at: number | null }>('SELECT min(due_at) AS at FROM outbox')?.at ?? null
  return next === null ? null : Math.max(next, now() + 50)
}

/**
 * Taken in the same turn as the rows are read, so a higher number never carries an older row: D1 and the desks keep the
 * highest, and late or repeated deliveries are harmless.
 */
export function nextEdition(ctx: Context): number {
  const edition = Number(ctx.store.meta('edition') ?? 0) + 1
  ctx.store.setMeta('edition', String(edition))
  return edition
}
