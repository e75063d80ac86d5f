import { looksLike, repeatMs } from '#domain/sendRules.ts'
import { isoOf } from '#domain/time.ts'
import type { RecipientHistory } from '#schemas/transaction.ts'
import type { Context } from '../core/context.ts'
import { toColumn } from '../storage/columns.ts'
import { statusIn } from '../storage/statuses.ts'
import type { RecipientInput } from './rpcTypes.ts'

/** The plus keeps SQLite off the status index, where nearly all rows match. */
const isAlive = `+status IN ${statusIn.alive}`

/** What a sender should know before paying: a first payment, a repeat within minutes, or a look-alike of a known address. */
export function recipientHistory({ store, now }: Context, input: RecipientInput): RecipientHistory {
  const { toAddress, recipientEmail, recipientPhone } = input
  const [where, value] = toAddress
    ? ["kind = 'send' AND to_address = ? COLLATE NOCASE", toAddress]
    : recipientEmail
      ? ['recipient_email = ?', recipientEmail.toLowerCase()]
      : ['recipient_phone = ?', recipientPhone ?? '']
  const known = store.first<{ payments: number; last_at: number | null; same_at: number | null }>(
    `SELECT count(*) AS payments, max(accepted_at) AS last_at, max(CASE WHEN amount = ? AND accepted_at > ? THEN accepted_at END) AS same_at
     FROM payment WHERE ${where} AND ${isAlive}`,
    toColumn(input.amount),
    now() - repeatMs,
    value,
  )!
  return {
    payments: known.payments,
    lastPaidAt: isoOf(known.last_at),
    sameAmountAt: isoOf(known.same_at),
    lookAlike: toAddress ? lookAlikeOf(store, toAddress) : null,
  }
}

/** A paid address that looks like this one. Addresses with the same beginning are neighbours in the index. */
function lookAlikeOf(store: Context['store'], address: string): string | null {
  const start = address.slice(0, 5)
  const rows = store.all<{ to_address: string }>(
    `SELECT DISTINCT to_address FROM payment
     WHERE to_address >= ? COLLATE NOCASE AND to_address < ? COLLATE NOCASE AND kind = 'send' AND ${isAlive}`,
    start,
    `${start}g`, // past every hex digit
  )
  return rows.find((row) => looksLike(row.to_address, address))?.to_address ?? null
}
