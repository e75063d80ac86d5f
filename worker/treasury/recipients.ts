import type { MicroUsdc } from '../domain/money.ts'
import { looksLike, repeatMs } from '../domain/sendRules.ts'
import type { RecipientHistory } from '../schemas/transaction.ts'
import type { Context } from './context.ts'
import { column } from './store.ts'

export type RecipientInput = {
  amount: MicroUsdc
  toAddress?: string | undefined
  recipientEmail?: string | undefined
  recipientPhone?: string | undefined
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
/** Everything that moved money or still may. The plus keeps SQLite from going by the status, which nearly all rows share. */
export const alive = "+status IN ('QUEUED','PROCESSING','PENDING','CONFIRMED')"

/** What a sender wants to know before paying: the first time, a second time just now, or an address made to be mistaken. */
export function recipientHistory({ store, now }: Context, input: RecipientInput): RecipientHistory {
  const { toAddress, recipientEmail, recipientPhone } = input
  const [where, value] = toAddress
    ? ["kind = 'send' AND to_address = ? COLLATE NOCASE", toAddress]
    : recipientEmail
      ? ['recipient_email = ?', recipientEmail.toLowerCase()]
      : ['recipient_phone = ?', recipientPhone ?? '']
  const known = store.first<{ payments: number; last_at: number | null; same_at: number | null }>(
    `SELECT count(*) AS payments, max(created_at) AS last_at, max(CASE WHEN amount = ? AND created_at > ? THEN created_at END) AS same_at
     FROM payment WHERE ${where} AND ${alive}`,
    column(input.amount),
    now() - repeatMs,
    value,
  )!
  return {
    payments: known.payments,
    lastPaidAt: iso(known.last_at),
    sameAmountAt: iso(known.same_at),
    lookAlike: toAddress ? twinOf(store, toAddress) : null,
  }
}

/** Addresses that begin alike lie beside each other in the index; the few that are found are compared in full. */
function twinOf(store: Context['store'], address: string): string | null {
  const start = address.slice(0, 5)
  const rows = store.all<{ to_address: string }>(
    `SELECT DISTINCT to_address FROM payment
     WHERE to_address >= ? COLLATE NOCASE AND to_address < ? COLLATE NOCASE AND kind = 'send' AND ${alive}`,
    start,
    `${start}g`, // past every hex digit
  )
  return rows.find((row) => looksLike(row.to_address, address))?.to_address ?? null
}
