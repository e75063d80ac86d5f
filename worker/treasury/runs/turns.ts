import { dayMs } from '#domain/time.ts'
import { earliest } from '../../durable/alarms.ts'
import { nextTurn } from '../../durable/turns.ts'
import type { Context } from '../core/context.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { checkNext } from './checking.ts'
import { offer } from './decide.ts'
import { endOverdueRuns, endRun, finishIfDone } from './end.ts'
import { payNext } from './pay.ts'
import { nextRepeatAt, startRepeats } from './repeat.ts'

/** How long the rows of ended runs are kept. */
const keepMs = 400 * dayMs
/** Between looks at a run whose last payments are on their way. */
const lookAgainMs = 2_000

/** One turn of every open run: checks rows of drafts, pays rows of those that were approved. Returns when the next is due (ms). */
export async function continueRuns(ctx: Context): Promise<number | null> {
  const { store, now } = ctx
  store.transaction(() => endOverdueRuns(ctx))
  startRepeats(ctx)
  const due = [nextRepeatAt(ctx)]
  for (const { id } of openRuns(ctx)) {
    due.push(await turnOf(ctx, store.payoutRun(id)!))
    await nextTurn()
  }
  const next = earliest(...due)
  return next === null ? null : Math.max(next, now())
}

const openRuns = ({ store }: Context) =>
  store.all<{ id: string }>('SELECT id FROM run WHERE ended_at IS NULL ORDER BY decided_at, id')

async function turnOf(ctx: Context, run: RunRow): Promise<number | null> {
  const { now } = ctx
  if (run.status === 'RUNNING') {
    const next = await payNext(ctx, run.id)
    if (next !== null) return next
    return finishIfDone(ctx, run.id) ? null : now() + lookAgainMs
  }
  if (run.status !== 'DRAFT' || run.hash !== null) return run.expires_at
  const checked = await checkNext(ctx, run)
  if (checked?.submits_itself === 1) offerItself(ctx, checked)
  return checked ? run.expires_at : now()
}

/** A repetition that has no row to pay any more ends by itself. */
function offerItself(ctx: Context, run: RunRow): void {
  const { store } = ctx
  store.transaction(() => {
    if (store.first("SELECT 1 FROM run_row WHERE run_id = ? AND status = 'waiting' LIMIT 1", run.id))
      offer(ctx, run, { userId: run.made_by, name: run.made_name })
    else endRun(ctx, run, 'cancel')
  })
}

/** Deletes the rows of runs that ended long ago, and drafts that were never submitted. */
export function pruneRuns({ store, now }: Context): void {
  const old = `SELECT id FROM run WHERE ended_at < ?1 OR ended_at < ?2 AND submitted_at IS NULL`
  const times = [now() - keepMs, now() - 30 * dayMs] as const
  store.transaction(() => {
    store.run(`DELETE FROM run_row WHERE run_id IN (${old})`, ...times)
    store.run(`DELETE FROM run WHERE submitted_at IS NULL AND id IN (${old})`, ...times)
  })
}
