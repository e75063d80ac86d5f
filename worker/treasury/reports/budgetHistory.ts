import { utcDay } from '#domain/gasAllowance.ts'
import { encodeRowCursor, type RowCursor } from '#domain/lists.ts'
import { formatUsdc } from '#domain/money.ts'
import { lastDays } from '#domain/statistics.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { BudgetChange, BudgetHistory } from '#schemas/usage.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { fromColumn } from '../core/storage/columns.ts'
import type { Store } from '../core/storage/store.ts'
import type { BudgetHistoryInput } from './rpcTypes.ts'

const pageSize = 20
const kinds = {
  'group.created': 'created',
  'group.topped_up': 'topped_up',
  'group.changed': 'changed',
} as const

/** Exactly the events of the index audit_budget. */
const ofGroup = "ref = ? AND event IN ('group.created', 'group.changed', 'group.topped_up')"
type Row = { seq: number; at: number; event: keyof typeof kinds; data: string }

/**
 * A group's budget at the end of each of the last UTC days on which it existed, from the audit log and its payments, and
 * the changes of the budget, newest first, `pageSize` events at a time.
 */
export function budgetHistory(ctx: Context, groupId: string, input: BudgetHistoryInput): Result<BudgetHistory> {
  const { store, now } = ctx
  const group = store.group(groupId)
  if (!group) return notFound('Policy group')
  const window = lastDays(now(), input.days)
  const spends = new Map(
    store
      .all<{ day: number; sum: number }>(
        'SELECT day - ?1 AS day, sum(amount) AS sum FROM spent_day WHERE day >= ?1 AND group_id = ?2 GROUP BY 1',
        utcDay(window[0]!.startsAt),
        groupId,
      )
      .map(({ day, sum }) => [Math.min(day, input.days - 1), sum]),
  )
  // Works back from the amount that is spent now.
  let spent: bigint = fromColumn(group.spent)
  const days: BudgetHistory['days'] = []
  for (const [i, { day, startsAt }] of [...window.entries()].reverse()) {
    const endsAt = startsAt + dayMs
    if (group.created_at >= endsAt) break
    const last = store.first<Row>(
      `SELECT * FROM audit WHERE ${ofGroup} AND at < ? ORDER BY at DESC, seq DESC LIMIT 1`,
      groupId,
      endsAt,
    )
    days.unshift({ day, limit: last && limitOf(last), spent: formatUsdc(spent) })
    spent -= fromColumn(spends.get(i) ?? 0)
  }
  return ok({ days, ...changesOf(store, groupId, input.before) })
}

/** Only events that changed the limit; renaming the group does not. */
function changesOf(
  store: Store,
  groupId: string,
  before: RowCursor = { at: Number.MAX_SAFE_INTEGER, id: '0' },
): Pick<BudgetHistory, 'changes' | 'next'> {
  // One more row, to compare the oldest of the page with.
  const rows = store.all<Row>(
    `SELECT * FROM audit WHERE ${ofGroup} AND (at, seq) < (?, ?) ORDER BY at DESC, seq DESC LIMIT ?`,
    groupId,
    before.at,
    Number(before.id),
    pageSize + 1,
  )
  const page = rows.slice(0, pageSize)
  const changes = page.flatMap((row, i): BudgetChange[] => {
    const earlier = rows[i + 1]
    const limit = limitOf(row)
    if (earlier && limitOf(earlier) === limit) return []
    const { amount = null } = JSON.parse(row.data) as { amount?: string }
    return [{ id: `${row.seq}`, at: isoOf(row.at), kind: kinds[row.event], amount, limit }]
  })
  const last = page.at(-1)
  return {
    changes,
    ...(last && rows.length > pageSize && { next: encodeRowCursor({ at: last.at, id: `${last.seq}` }) }),
  }
}

/** The group's limit from this event on, decimal USDC; null if there is none. */
const limitOf = ({ data }: Row) => (JSON.parse(data) as { limit?: string | null }).limit ?? null
