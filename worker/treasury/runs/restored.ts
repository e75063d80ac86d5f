import type { Context } from '../core/context.ts'
import type { PaymentRow, RunRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'

/** What History keeps of a run: its columns, without what it holds. Rows are not kept; those that were handed over have payments. */
export type RecoverableRun = Omit<RunRow, 'held' | 'waits_code' | 'waits_text' | 'waits_until'>

export function recoverableRun(store: Store, id: string): string | null {
  const run = store.payoutRun(id)
  if (!run) return null
  const { held: _, waits_code: __, waits_text: ___, waits_until: ____, ...kept } = run
  return JSON.stringify(kept satisfies RecoverableRun)
}

/** Adds a run that was made since, or brings the one here up to its later status. Call inside a transaction; safe to repeat. */
export function copyRun({ store }: Context, kept: RecoverableRun): void {
  if (!store.update('run', kept.id, kept)) store.insert('run', kept)
}

/**
 * Compares the rows of each run with the payments that were copied: a row that has one was handed over since. Rows that are not here
 * come back only so far. Call inside a transaction, after the payments were copied.
 */
export function matchRows({ store }: Context): void {
  const paid = store.all<PaymentRow & { known: number }>(
    `SELECT payment.*, EXISTS (SELECT 1 FROM run_row WHERE run_id = payment.run_id AND n = payment.run_row) AS known
     FROM payment WHERE run_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM run_row WHERE run_row.payment_id = payment.id)`,
  )
  for (const { known, ...payment } of paid) {
    const [runId, n] = [payment.run_id!, payment.run_row!]
    if (known)
      store.run(
        `UPDATE run_row SET status = 'handed_over', payment_id = ?, error_code = NULL, error_message = NULL
         WHERE run_id = ? AND n = ?`,
        ...[payment.id, runId, n],
      )
    else store.insert('run_row', { run_id: runId, n, ...rowFrom(payment) })
  }
  // Nothing is held for a run any more (what wallets hold is summed again), and rows of one that has ended were not paid.
  store.run('UPDATE run SET held = 0 WHERE held > 0')
  store.run(
    "UPDATE run_row SET status = 'released' WHERE status = 'waiting' AND run_id IN (SELECT id FROM run WHERE status IN ('DONE', 'STOPPED'))",
  )
}

/** A row as far as its payment says what it was. */
const rowFrom = (payment: PaymentRow) => ({
  line: payment.run_row!,
  written: JSON.stringify({
    to: payment.recipient_email ?? payment.recipient_phone ?? payment.to_address ?? '',
    ...{ amount: '', name: payment.contact_name ?? '', memo: payment.memo ?? '', reference: payment.reference ?? '' },
  }),
  to_type: payment.to_type,
  to_address: payment.recipient_email === null && payment.recipient_phone === null ? payment.to_address : null,
  recipient_email: payment.recipient_email,
  recipient_phone: payment.recipient_phone,
  contact_id: payment.contact_id,
  contact_name: payment.contact_name,
  amount: payment.amount,
  memo: payment.memo,
  reference: payment.reference,
  status: 'handed_over' as const,
  payment_id: payment.id,
})
