import { type Log, logAtOnce } from '#schemas/change.ts'
import type { Context } from '../../core/context.ts'
import type { AuditRow } from '../../core/storage/eventTables.ts'

/** The rows of the audit log after this number, as lines whose hashes anybody can compute again (docs/verify-log.mjs). */
export function logAfter({ store }: Context, after: number): Log {
  const found = store.all<AuditRow>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', after, logAtOnce + 1)
  const rows = found.slice(0, logAtOnce)
  const last = rows.at(-1)
  const lines = rows.map(({ seq, at, event, ref, data, by, via, previous, hash }) =>
    JSON.stringify({ seq, at, event, ref, data, by, via, previous, hash }),
  )
  return {
    text: lines.map((line) => `${line}\n`).join(''),
    rows: rows.length,
    head: last?.hash ?? null,
    next: last && found.length > rows.length ? last.seq : null,
  }
}
