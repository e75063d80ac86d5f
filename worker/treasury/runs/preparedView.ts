import { formatUsdc } from '#domain/money.ts'
import { nextForAgent } from '#domain/runs/prepared.ts'
import { isoOf } from '#domain/time.ts'
import type { PayoutRun } from '#schemas/preparedRun.ts'
import type { Context } from '../core/context.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { outcomeOf, sumsOf, totalOf } from './rows.ts'
import { allRows, sentenceOf } from './views.ts'

type Verdict = PayoutRun['verdicts'][number]

/** A run as the agent that prepared it sees it. */
export function preparedView(ctx: Context, run: RunRow): PayoutRun {
  const { store, env } = ctx
  const sums = sumsOf(store, run.id)
  const total = totalOf(sums)
  const outcome = outcomeOf(store, run.id)
  const isChecked = run.hash !== null
  const isOpen = run.status === 'DRAFT' || run.status === 'WAITING'
  const progress = {
    ...{ paid: outcome.paid.rows, awaiting_claim: outcome.awaitingClaim.rows, on_their_way: outcome.onTheirWay.rows },
    ...{ waiting: sums.waiting.rows, not_paid: sums.failed.rows + sums.released.rows + outcome.notPaid.rows },
  }
  const counts = { left_out: sums.left_out.rows, payments: total.rows }
  return {
    ...{ id: run.id, object: 'payout_run', status: run.status, title: run.title, checked: isChecked, rows: run.rows },
    ...{ ...counts, amount: formatUsdc(total.amount) },
    summary: isOpen && isChecked && total.rows > 0 ? sentenceOf(ctx, run, total.amount) : null,
    ...{ verdicts: verdictsOf(ctx, run.id), progress, reason: run.reason },
    url: `${env.APP_ORIGIN}/dashboard/runs/${run.id}`,
    next: nextForAgent({ status: run.status, isChecked, leftOut: counts.left_out, payments: counts.payments }),
    ...{ created_at: isoOf(run.created_at), decided_at: isoOf(run.decided_at), ended_at: isoOf(run.ended_at) },
    expires_at: isOpen ? isoOf(run.expires_at) : null,
  }
}

function verdictsOf(ctx: Context, runId: string): Verdict[] {
  const verdicts = allRows(ctx, runId).flatMap((row): Verdict[] => {
    const say = (level: Verdict['level']) => (detail: string) => ({
      ...{ row: row.n, line: row.line, to: row.written.to, amount: row.written.amount, level, detail },
    })
    return [
      ...row.problems.map(say('error')),
      ...(row.error ? [say('not_paid')(row.error.message)] : []),
      ...(row.status === 'waiting' ? row.warnings.map(say('warning')) : []),
    ]
  })
  const isWarning = ({ level }: Verdict) => level === 'warning'
  return [...verdicts.filter((verdict) => !isWarning(verdict)), ...verdicts.filter(isWarning)]
}
