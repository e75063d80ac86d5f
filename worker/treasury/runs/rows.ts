import { type MicroUsdc, microUsdc, zeroUsdc } from '#domain/money.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import type { RunRowStatus } from '#domain/runs/runStatus.ts'
import type { PaymentTerms, Recipient } from '#schemas/paymentTerms.ts'
import type { Address } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { fromColumn } from '../core/storage/columns.ts'
import type { RunRow, RunRowRow } from '../core/storage/rows.ts'
import { statusIn } from '../core/storage/statuses.ts'
import type { Store } from '../core/storage/store.ts'
import type { NewRow } from '../core/storage/tableRows.ts'

/** Reading and releasing rows of runs. */

export type NewRunRow = Omit<NewRow<'run_row'>, 'run_id' | 'n'>

export const rowOf = (store: Store, runId: string, n: number): RunRowRow | null =>
  store.first<RunRowRow>('SELECT * FROM run_row WHERE run_id = ? AND n = ?', runId, n)

export const rowsOf = (store: Store, runId: string): RunRowRow[] =>
  store.all<RunRowRow>('SELECT * FROM run_row WHERE run_id = ? ORDER BY n', runId)

/** Where the row's money would go: an address, a mailbox or a phone number. */
export const recipientOfRow = (row: Pick<RunRowRow, 'to_address' | 'recipient_email' | 'recipient_phone'>) =>
  row.to_address ?? row.recipient_email ?? row.recipient_phone

export type RowSums = Record<RunRowStatus, { rows: number; amount: MicroUsdc }>

export function sumsOf(store: Store, runId: string): RowSums {
  const none = { rows: 0, amount: zeroUsdc }
  const sums: RowSums = { left_out: none, waiting: none, released: none, failed: none, handed_over: none }
  for (const { status, rows, amount } of store.all<{ status: RunRowStatus; rows: number; amount: number }>(
    'SELECT status, count(*) AS rows, sum(amount) AS amount FROM run_row WHERE run_id = ? GROUP BY status',
    runId,
  ))
    sums[status] = { rows, amount: fromColumn(amount) }
  return sums
}

/** What is not left out: the total that was decided on. */
export function totalOf({ left_out: _, ...sums }: RowSums): { rows: number; amount: MicroUsdc } {
  const all = Object.values(sums)
  return {
    rows: all.reduce((sum, { rows }) => sum + rows, 0),
    amount: microUsdc(all.reduce<bigint>((sum, { amount }) => sum + amount, 0n)),
  }
}

/** SQL: an agent has made the run. */
export const isPrepared = 'EXISTS (SELECT 1 FROM agent WHERE agent.id = run.made_by)'

/** Payments of runs that are not on chain yet: of one run, or of all of them. */
export const unsettledOf = (store: Store, runId: string | null): number =>
  runId === null
    ? store.count(`payment WHERE run_id IS NOT NULL AND status IN ${statusIn.unsettled}`)
    : store.count(`payment WHERE run_id = ? AND status IN ${statusIn.unsettled}`, runId)

/** SQL: of `run_row` joined with its `payment`, and with `run`: it ended without paying. */
export const endedUnpaid = `(run_row.status IN ('failed', 'released')
  OR run_row.status = 'handed_over' AND payment.status IN ('FAILED', 'CANCELLED')
  OR run_row.status = 'waiting' AND run.status IN ('DENIED', 'CANCELLED', 'EXPIRED'))`

/** The terms of the row's payment. */
export const termsOfRow = (run: RunRow, row: RunRowRow): PaymentTerms => ({
  wallet: run.wallet_id,
  to: paidBy(row),
  amount: fromColumn(row.amount),
  memo: row.memo,
  reference: row.reference,
  expiresInDays: null,
  senderName: null,
})

type PaidBy = Extract<Recipient, { type: 'address' | 'email' | 'phone' }>

/** Whom the row pays, whether it names a contact or not. */
export function paidBy({ to_address, recipient_email, recipient_phone }: RunRowRow): PaidBy {
  if (to_address !== null) return { type: 'address', address: to_address }
  if (recipient_email !== null) return { type: 'email', email: recipient_email }
  return { type: 'phone', phone: recipient_phone! }
}

/** Takes the amount of a row that waits out of what the run holds. Call inside the transaction that moves the row. */
export function unhold({ store }: Context, { id, wallet_id }: RunRow, amount: number): void {
  store.run('UPDATE run SET held = held - ? WHERE id = ?', amount, id)
  store.run('UPDATE wallet SET held = held - ? WHERE id = ?', amount, wallet_id)
}

type Methods = { address: string | null; email: string | null; phone: string | null }

/** Where a contact is paid: at its address if it has one, otherwise by email, otherwise by phone. Null if it has none of them. */
export function methodOf({ address, email, phone }: Methods) {
  const none = { to_address: null, recipient_email: null, recipient_phone: null }
  if (address !== null) return { ...none, to_address: address as Address }
  if (email !== null) return { ...none, recipient_email: email }
  return phone === null ? null : { ...none, recipient_phone: phone }
}
export const withoutMethod = (name: string) => `${name} has no address, email or phone number.`

const contactNow = (store: Store, contactId: string): Methods | null =>
  store.first<Methods>('SELECT address, email, phone FROM contact_now WHERE contact_id = ?', contactId)

/** The row for a new run, with its contact as it is now: that run is checked and decided on its own. */
export function renewed(store: Store, row: NewRunRow): NewRunRow {
  const now = row.contact_id ? contactNow(store, row.contact_id) : null
  if (!now) return row
  const paidAt = methodOf(now)
  return paidAt
    ? { ...row, ...paidAt }
    : { ...row, status: 'left_out', problems: JSON.stringify([withoutMethod(row.contact_name ?? 'This contact')]) }
}

/** The name in the row of a contact that has changed since the run was made; null if it pays as it did. */
export function changedContact({ store }: Context, row: RunRowRow): string | null {
  if (row.contact_id === null) return null
  const now = contactNow(store, row.contact_id)
  if (!now) return null
  const isSame = row.to_address
    ? now.address?.toLowerCase() === row.to_address.toLowerCase()
    : row.recipient_email !== null
      ? now.email === row.recipient_email
      : now.phone === row.recipient_phone
  return isSame ? null : row.contact_name
}

type Outcome = 'onTheirWay' | 'awaitingClaim' | 'paid' | 'notPaid'
const outcomes: Partial<Record<PaymentStatus, Outcome>> = {
  ...{ QUEUED: 'onTheirWay', PROCESSING: 'onTheirWay', PENDING: 'awaitingClaim', CONFIRMED: 'paid' },
  ...{ FAILED: 'notPaid', CANCELLED: 'notPaid' },
}

/** What became of the rows that were handed over, by the status of their payments. */
export function outcomeOf(store: Store, runId: string): Record<Outcome, { rows: number; amount: MicroUsdc }> {
  const none = { rows: 0, amount: zeroUsdc }
  const sums = { onTheirWay: none, awaitingClaim: none, paid: none, notPaid: none }
  for (const { status, rows, amount } of store.all<{ status: PaymentStatus; rows: number; amount: number }>(
    'SELECT status, count(*) AS rows, sum(amount) AS amount FROM payment WHERE run_id = ? AND accepted_at IS NOT NULL GROUP BY status',
    runId,
  )) {
    const outcome = outcomes[status]
    if (!outcome) throw new Error(`a payment of a run is ${status}`)
    const sum = sums[outcome]
    sums[outcome] = { rows: sum.rows + rows, amount: microUsdc(sum.amount + fromColumn(amount)) }
  }
  return sums
}
