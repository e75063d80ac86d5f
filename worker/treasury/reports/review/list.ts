import { type ChangeEvent, madeDays } from '#domain/events.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import { type Change, type ChangeList, changesPerPage, type MadeChanges } from '#schemas/change.ts'
import type { Context } from '../../core/context.ts'
import type { AuditRow } from '../../core/storage/eventTables.ts'
import { changeWords } from '../../outbox/notices/changeWords.ts'
import { type Thing, whatItMade } from './effects.ts'

type ShownRow = Omit<AuditRow, 'event'> & { event: ChangeEvent }

/** A page of the owner's history of changes, newest first, from an index of the audit log. */
export function listChanges(ctx: Context, before: number | null): ChangeList {
  const rows = ctx.store.all<ShownRow>(
    'SELECT * FROM audit WHERE shown IS NOT NULL AND seq < ? ORDER BY seq DESC LIMIT ?',
    before ?? Number.MAX_SAFE_INTEGER,
    changesPerPage,
  )
  return {
    changes: rows.map((row) => changeView(ctx, row)),
    next: rows.length < changesPerPage ? null : rows.at(-1)!.seq,
  }
}

/** What was made within 30 days and still acts. Of several changes of one thing, the one that made it, or else the newest. */
export function listMade(ctx: Context): MadeChanges {
  const rows = ctx.store.all<ShownRow>(
    "SELECT * FROM audit WHERE shown = 'made' AND at >= ? ORDER BY seq DESC",
    ctx.now() - madeDays * dayMs,
  )
  const found = new Map<Thing, ShownRow>()
  for (const row of rows) {
    const made = whatItMade(ctx, { ...row, data: JSON.parse(row.data) as Record<string, unknown> })
    if (made && (!found.has(made.thing) || made.isNew)) found.set(made.thing, row)
  }
  const changes = [...found.values()].sort((a, b) => b.seq - a.seq).map((row) => changeView(ctx, row))
  return { changes }
}

function changeView(ctx: Context, { seq, at, event, ref, by, via, data }: ShownRow): Change {
  return {
    ...{ id: seq, event, at: isoOf(at), by: actorOf(ctx, by), via },
    ...changeWords(ctx, { event, ref, data: JSON.parse(data) as Record<string, unknown> }),
  }
}

function actorOf({ userId, store }: Context, by: string): Change['by'] {
  if (by === 'bursar' || by === 'operator' || by === 'recipient') return { type: by, name: null }
  if (by === userId) return { type: 'owner', name: null }
  const member = store.first<{ name: string | null; email: string }>(
    'SELECT name, email FROM member WHERE person_id = ? ORDER BY joined_at DESC LIMIT 1',
    by,
  )
  if (member) return { type: 'member', name: member.name ?? member.email }
  return { type: 'agent', name: store.agentName(by) }
}
