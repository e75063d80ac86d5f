import { nextRepeat } from '#domain/runs/repeat.ts'
import { notFound, ok, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { RunRow, RunRowRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { takeRate } from '../limits/rates.ts'
import { insertRun } from './create.ts'
import { preparerOf } from './groupRules.ts'
import { type NewRunRow, renewed } from './rows.ts'
import type { RepeatInput } from './rpcTypes.ts'

/** Has the run made again each week or month, the first time that long from now. Null ends that. */
export function setRepeat(ctx: Context, id: string, repeat: RepeatInput): Result<RunRow> {
  const { store, now } = ctx
  return store.transaction((): Result<RunRow> => {
    const run = store.payoutRun(id)
    if (!run) return notFound('Run')
    if (repeat && run.submitted_at === null)
      return refuse('conflict', 'Submit this run first. A draft can’t be repeated.')
    const at = repeat && nextRepeat(now(), repeat.every, now())
    store.update('run', id, {
      repeat_every: repeat?.every ?? null,
      repeat_left: repeat?.times ?? 0,
      repeat_at: at,
      repeat_from: now(),
    })
    audit(store, now(), 'run.repeat_set', id, { title: run.title, ...repeat })
    if (at !== null) ctx.schedule('runs', at)
    return ok(store.payoutRun(id)!)
  })
}

/** Makes the runs that are due again. Each is checked, then waits for a decision of its own. */
export function startRepeats(ctx: Context): void {
  const { store, now } = ctx
  for (const run of store.all<RunRow>('SELECT * FROM run WHERE repeat_at <= ?', now()))
    store.transaction(() => {
      const left = run.repeat_left - 1
      const isLast = left === 0
      store.update('run', run.id, {
        repeat_left: left,
        repeat_at: isLast ? null : nextRepeat(run.repeat_at!, run.repeat_every!, run.repeat_from!),
        ...(isLast && { repeat_every: null }),
      })
      const rows = store.all<RunRowRow>(
        "SELECT * FROM run_row WHERE run_id = ? AND status <> 'left_out' ORDER BY n",
        run.id,
      )
      // An account with so many rows in an hour, or without the wallet, skips this one.
      if (!store.liveWallet(run.wallet_id) || takeRate(ctx, 'run_rows', 'owner', rows.length)) return
      const { title, wallet_id, file_hash } = run
      // Of a run that an agent prepared, a person has asked for more.
      const [made_by, made_name] = preparerOf(store, run)
        ? [run.submitted_by!, run.submitted_name]
        : [run.made_by, run.made_name]
      insertRun(
        ctx,
        rows.map((row) => renewed(store, copied(row))),
        {
          title,
          wallet_id,
          file_hash,
          made_by,
          made_name,
          made_from: run.id,
          submits_itself: 1,
        },
      )
    })
}

/** The row as it was made, without what became of it. */
const copied = (row: RunRowRow): NewRunRow => ({
  ...row,
  ...{ status: 'waiting', problems: '[]', warnings: '[]', error_code: null, error_message: null },
  ...{ payment_id: null, next_run: null, next_n: null },
})

export const nextRepeatAt = ({ store }: Context): number | null =>
  store.first<{ at: number | null }>('SELECT min(repeat_at) AS at FROM run')!.at
