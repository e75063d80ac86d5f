import { hash } from 'node:crypto'
import { bursar } from '#domain/actor.ts'
import { type AuditEvent, isBursarsOwn, isNoticeEvent, shownAs, type ToldChange } from '#domain/events.ts'
import { actorNow } from '../core/acting.ts'
import type { AuditRow } from '../core/storage/eventTables.ts'
import { pageRows } from '../core/storage/pages.ts'
import type { Store } from '../core/storage/store.ts'
import { addNotice } from './notices.ts'

const genesis = '0'.repeat(64)

const hashOf = (row: Omit<AuditRow, 'hash' | 'shown'>) =>
  hash('sha256', JSON.stringify([row.previous, row.seq, row.at, row.event, row.ref, row.data, row.by, row.via]))

/**
 * Appends one event to the user's audit log, in the transaction of the change that it records. Each row's hash covers its
 * predecessor's, so changing or removing a row later breaks the chain (invariant I9). It says who acted: the caller, unless
 * only Bursar causes such an event. Events for the bell also add their notice. `skip` is how many numbers to leave out because
 * they belonged to rows lost in a restore.
 */
export function appendEvent(
  store: Store,
  at: number,
  event: AuditEvent,
  ref: string,
  data: Record<string, unknown> = {},
  skip = 0,
): void {
  const last =
    store.auditHead ??
    store.first<{ seq: number; hash: string }>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1')
  const row = {
    seq: (last?.seq ?? 0) + 1 + skip,
    at,
    event,
    ref,
    data: JSON.stringify(data),
    ...(isBursarsOwn(event) ? bursar : actorNow()),
    previous: last?.hash ?? genesis,
  }
  const own = hashOf(row)
  store.insert('audit', { ...row, shown: shownAs(event, row.by), hash: own })
  store.auditHead = { seq: row.seq, hash: own }
  if (isNoticeEvent(event)) addNotice(store, { seq: row.seq, at, event, ref, data })
}

/** The same for events that the owner is not told of: those need `auditAndReport` (outbox/reportedChanges.ts). */
export const audit: (
  store: Store,
  at: number,
  event: Exclude<AuditEvent, ToldChange>,
  ref: string,
  data?: Record<string, unknown>,
  skip?: number,
) => void = appendEvent

/** Verifies the whole chain. `brokenAt` is the first row that does not verify, or null if all do. */
export function verifyAudit(store: Store): { rows: number; head: string; brokenAt: number | null } {
  let previous = genesis
  let rows = 0
  let last = 0
  for (;;) {
    const page = store.all<AuditRow>(`SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ${pageRows}`, last)
    for (const row of page) {
      rows += 1
      const follows =
        row.seq === last + 1 || (row.event === ('account.restored' satisfies AuditEvent) && row.seq > last)
      if (!follows || row.previous !== previous || hashOf(row) !== row.hash)
        return { rows, head: previous, brokenAt: row.seq }
      previous = row.hash
      last = row.seq
    }
    if (page.length < pageRows) return { rows, head: previous, brokenAt: null }
  }
}
