import type { MicroUsdc } from '../money.ts'
import { namesText } from '../namesText.ts'
import { sameEnds } from '../sendRules.ts'
import { dayMs } from '../time.ts'
import { checksumAddress } from '../validators.ts'
import { dayText } from './dayText.ts'

/** What is noticeable about the rows of a run, beyond what each says alone. */

export type Verdict = { level: 'error' | 'warning'; text: string }

/** A row whose recipient was resolved. `recipient`: its key (`recipientKey`), of a contact that of the address, email or phone. */
export type ResolvedRow = { line: number; recipient: string; amount: MicroUsdc; reference: string | null }

/** What the Treasury knows of the recipients. Keys are recipients, in `samePaid` with the amount (`paidKey`). */
export type KnownRecipients = {
  paid: ReadonlySet<string>
  /** Another address, paid before, that looks the same when shortened (`looksLike`). */
  lookAlikes: ReadonlyMap<string, string>
  /** When the same was paid last (ms), within `samePaidMs`. */
  samePaid: ReadonlyMap<string, number>
  /** Who changed the contact that has this recipient, which was not paid since. */
  changedBy: ReadonlyMap<string, string>
}

export const samePaidMs = 30 * dayMs
export const paidKey = (recipient: string, amount: MicroUsdc): string => `${amount} ${recipient}`

/** The verdicts of each row, in the order of the rows. */
export function runVerdicts(rows: readonly ResolvedRow[], known: KnownRecipients, now: number): Verdict[][] {
  const others = othersOf(rows)
  return rows.map((row) => [
    ...verdict('error', repeatedReference(row, others)),
    ...verdict('warning', changedContact(row, known)),
    ...verdict('warning', lookAlike(row, known, others)),
    ...verdict('warning', twice(row, others)),
    ...verdict('warning', paidRecently(row, known, now)),
    ...verdict('warning', known.paid.has(row.recipient) ? null : 'This is your first payment to this recipient.'),
  ])
}

const verdict = (level: Verdict['level'], text: string | null): Verdict[] => (text === null ? [] : [{ level, text }])

/** The rows that have something in common, by what it is. */
type Others = Record<'recipient' | 'payment' | 'look', Map<string, ResolvedRow[]>> & {
  /** Lines as text. */
  reference: Map<string, string[]>
}

const othersOf = (rows: readonly ResolvedRow[]): Others => ({
  reference: linesOfReferences(rows),
  recipient: Map.groupBy(rows, ({ recipient }) => recipient),
  payment: Map.groupBy(rows, ({ recipient, amount }) => paidKey(recipient, amount)),
  look: firstsOfLooks(rows),
})

function linesOfReferences(rows: readonly ResolvedRow[]): Map<string, string[]> {
  const lines = new Map<string, string[]>()
  for (const { reference, line } of rows) {
    if (reference === null) continue
    const found = lines.get(reference)
    if (found) found.push(String(line))
    else lines.set(reference, [String(line)])
  }
  return lines
}

const isAddress = (recipient: string) => recipient.startsWith('0x')
/** Equal for addresses that look the same when shortened (`looksLike`). */
const lookOf = (address: string) => `${address.slice(0, 2 + sameEnds)}${address.slice(-sameEnds)}`.toLowerCase()

/** For each look the first rows of two different addresses: one of them is another than any given one. */
function firstsOfLooks(rows: readonly ResolvedRow[]): Map<string, ResolvedRow[]> {
  const looks = new Map<string, ResolvedRow[]>()
  for (const row of rows) {
    if (!isAddress(row.recipient)) continue
    const found = looks.get(lookOf(row.recipient)) ?? []
    if (found.length < 2 && found[0]?.recipient !== row.recipient) found.push(row)
    looks.set(lookOf(row.recipient), found)
  }
  return looks
}

function repeatedReference({ reference }: ResolvedRow, others: Others): string | null {
  const lines = reference === null ? [] : others.reference.get(reference)!
  return lines.length < 2 ? null : `Rows ${namesText(lines)} have the same reference.`
}

function changedContact({ recipient }: ResolvedRow, { changedBy }: KnownRecipients): string | null {
  const by = changedBy.get(recipient)
  return by === undefined
    ? null
    : `${by} changed this contact, which has not been paid since. Check with the recipient that this is theirs.`
}

function lookAlike({ recipient }: ResolvedRow, { lookAlikes }: KnownRecipients, others: Others): string | null {
  const paid = lookAlikes.get(recipient)
  if (paid !== undefined)
    return `This address looks like ${shortened(paid)}, which you paid before, but is a different one.`
  const twin = others.look.get(lookOf(recipient))?.find((row) => row.recipient !== recipient)
  return twin && isAddress(recipient)
    ? `This address looks like that of row ${twin.line}, but is a different one.`
    : null
}

/** With enough digits to see that it is another. */
const shortened = (address: string) => `${checksumAddress(address).slice(0, 10)}…${checksumAddress(address).slice(-8)}`

function twice(row: ResolvedRow, { recipient, payment }: Others): string | null {
  const equal = other(row, payment.get(paidKey(row.recipient, row.amount))!)
  if (equal) return `Row ${equal.line} pays the same recipient the same amount.`
  const same = other(row, recipient.get(row.recipient)!)
  return same && `Row ${same.line} also pays this recipient.`
}

/** The first row that is not this one. */
const other = (row: ResolvedRow, [first, second]: ResolvedRow[]): ResolvedRow | null =>
  (first === row ? second : first) ?? null

function paidRecently({ recipient, amount }: ResolvedRow, { samePaid }: KnownRecipients, now: number): string | null {
  const at = samePaid.get(paidKey(recipient, amount))
  return at === undefined || now - at >= samePaidMs
    ? null
    : `You paid this recipient the same amount on ${dayText(at, now)}.`
}
