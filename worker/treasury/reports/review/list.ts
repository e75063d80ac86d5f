import { type ChangeEvent, type ChangeKind, changeKindNames, madeDays } from '#domain/events.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Change, ChangeActor, ChangeList, ChangesWanted } from '#schemas/change.ts'
import type { Context } from '../../core/context.ts'
import { type AuditRow, isMade } from '../../core/storage/eventTables.ts'
import { changeWords } from '../../outbox/notices/changeWords.ts'
import { actorsOf, type NameActor, rowsBy } from './actors.ts'
import { whatItMade } from './effects.ts'

/**
 * The owner's history of changes, newest first. Each page is read from an index of the audit log: with a filter by kind or
 * person from as many places of it as there are kinds, so that it takes as long for any number of rows.
 */

type ShownRow = Omit<AuditRow, 'event'> & { event: ChangeEvent; shown: ChangeKind }
/** Where a row is. `at` in ms. */
type Place = { at: number; seq: number }

/** Rows that a page of what was added looks at: most of them are about things that are gone. */
const madeAtOnce = 200

/** `before`: the id of the last change of the page before. The first page also says who is in the history. */
export function listChanges(ctx: Context, wanted: ChangesWanted, before: number | null, limit: number): ChangeList {
  const nameActor = actorsOf(ctx)
  const until = placeBefore(ctx, wanted, before)
  const page =
    until === null ? noRows : wanted.made ? madeRows(ctx, wanted, until, limit) : shownRows(ctx, wanted, until, limit)
  return {
    changes: page.rows.map((row) => changeView(ctx, row, nameActor)),
    next: page.next,
    ...(before === null && { actors: nameActor.all() }),
  }
}

type Found = { rows: ShownRow[]; next: number | null }
const noRows: Found = { rows: [], next: null }

/** The rows of the page are before this place. Null if there are none. */
function placeBefore(
  { store }: Context,
  { to = Number.MAX_SAFE_INTEGER }: ChangesWanted,
  before: number | null,
): Place | null {
  const end = { at: to, seq: 0 }
  if (before === null) return end
  const row = store.first<Place>('SELECT at, seq FROM audit WHERE seq <= ? ORDER BY seq DESC LIMIT 1', before)
  if (row === null) return null
  // With a number that is no row's, that row is still to come.
  const place = row.seq === before ? row : { at: row.at, seq: before }
  return place.at < end.at ? place : end
}

function shownRows(ctx: Context, { kind: asked, by, from = 0 }: ChangesWanted, until: Place, limit: number): Found {
  const { store } = ctx
  const kinds = asked?.length ? asked : null
  const find = (index: string, condition: string, ...values: string[]) =>
    store.all<Place>(
      `SELECT at, seq FROM audit INDEXED BY ${index}
       WHERE shown IS NOT NULL AND ${condition} AND at >= ? AND (at, seq) < (?, ?) ORDER BY at DESC, seq DESC LIMIT ?`,
      ...values,
      from,
      until.at,
      until.seq,
      limit + 1,
    )
  const places = by
    ? (kinds ?? changeKindNames).flatMap((one) =>
        find('audit_change_by', '"by" = ? AND shown = ?', rowsBy(ctx, by), one),
      )
    : kinds
      ? kinds.flatMap((one) => find('audit_change_kind', 'shown = ?', one))
      : find('audit_change_at', 'TRUE')
  const found = places.sort((a, b) => b.at - a.at || b.seq - a.seq)
  const shown = found.slice(0, limit)
  const rows = store.all<ShownRow>(
    'SELECT * FROM audit WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY at DESC, seq DESC',
    JSON.stringify(shown.map(({ seq }) => seq)),
  )
  return { rows, next: found.length > limit ? shown.at(-1)!.seq : null }
}

/** What was added within 30 days and still acts. Of several changes of one webhook, its creation, or else the newest. */
function madeRows(ctx: Context, { kind: asked, by, from = 0 }: ChangesWanted, until: Place, limit: number): Found {
  const since = ctx.now() - madeDays * dayMs
  const read = ctx.store.all<ShownRow>(
    `SELECT * FROM audit INDEXED BY audit_made
     WHERE ${isMade} AND at >= ? AND (at, seq) < (?, ?) ORDER BY at DESC, seq DESC LIMIT ?`,
    Math.max(from, since),
    until.at,
    until.seq,
    madeAtOnce,
  )
  const who = by && rowsBy(ctx, by)
  const rows: ShownRow[] = []
  for (const row of read) {
    const isWanted = (!asked?.length || asked.includes(row.shown)) && (!who || row.by === who)
    if (!isWanted || !stillActs(ctx, row, since)) continue
    rows.push(row)
    if (rows.length === limit) return { rows, next: row.seq }
  }
  return { rows, next: read.length < madeAtOnce ? null : read.at(-1)!.seq }
}

function stillActs(ctx: Context, row: ShownRow, since: number): boolean {
  const { store } = ctx
  const made = whatItMade(ctx, { ...row, data: JSON.parse(row.data) as Record<string, unknown> })
  if (made === null || made.isNew) return made !== null
  if (store.webhook(row.ref)!.created_at >= since) return false
  const later = `SELECT 1 FROM audit INDEXED BY audit_webhook
    WHERE event IN ('webhook.changed', 'webhook.secret_rotated') AND ref = ? AND seq > ? LIMIT 1`
  return store.first(later, row.ref, row.seq) === null
}

function changeView(ctx: Context, row: ShownRow, nameActor: NameActor): Change {
  const { seq, at, event, shown, by, via } = row
  return {
    ...{ id: seq, event, kind: shown, at: isoOf(at), by: nameActor.of(by) satisfies ChangeActor, via },
    ...changeWords(ctx, { ...row, data: JSON.parse(row.data) as Record<string, unknown> }),
  }
}
