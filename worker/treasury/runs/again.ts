import type { RunRowRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { endedUnpaid, type NewRunRow, renewed } from './rows.ts'

/**
 * *Pay failed rows again*: the rows of a run that ended without paying go into a new run, and name their successor there. A row
 * that has one is offered again only if that ended without paying too, and so on; the last of them decides.
 */

/** The last successor of each row of a run, or the row itself, with what became of it. */
const tails = `
  WITH RECURSIVE chain (start, run_id, n) AS (
    SELECT n, run_id, n FROM run_row WHERE run_id = ?
    UNION ALL
    SELECT chain.start, run_row.next_run, run_row.next_n FROM chain
    JOIN run_row ON run_row.run_id = chain.run_id AND run_row.n = chain.n WHERE run_row.next_run IS NOT NULL)
  SELECT start, run_row.* FROM chain
  JOIN run_row ON run_row.run_id = chain.run_id AND run_row.n = chain.n AND run_row.next_run IS NULL
  JOIN run ON run.id = run_row.run_id
  LEFT JOIN payment ON payment.id = run_row.payment_id
  WHERE ${endedUnpaid} ORDER BY start`

type Tail = RunRowRow & { start: number }

/** The rows of an ended run to pay again; null if there is no such run, or if it has not ended. */
export function payableAgain(store: Store, runId: string): NewRunRow[] | null {
  const run = store.payoutRun(runId)
  if (run?.ended_at == null) return null
  return store.all<Tail>(tails, runId).map((tail) => {
    const { line, written, to_type, to_address, recipient_email, recipient_phone, contact_id, contact_name } = tail
    const { amount, memo, reference } = tail
    return renewed(store, {
      ...{ line, written, to_type, to_address, recipient_email, recipient_phone, contact_id, contact_name },
      ...{ amount, memo, reference, status: 'waiting' },
    })
  })
}

/** Names the successors in a run that was just made by `payableAgain`. Call in the same transaction. */
export function takeOver(store: Store, runId: string): void {
  const { made_from } = store.payoutRun(runId)!
  for (const [i, { run_id, n }] of store.all<Tail>(tails, made_from!).entries())
    store.run('UPDATE run_row SET next_run = ?, next_n = ? WHERE run_id = ? AND n = ?', runId, i + 1, run_id, n)
}
