import type { MicroUsdc } from '../money.ts'

/** What is noticeable about the rows of a run, beyond what each says alone. */

export type Verdict = { level: 'error' | 'warning'; text: string }

/** A row whose recipient was resolved. `recipient`: its key (`recipientKey`), of a contact that of the address, email or phone. */
export type ResolvedRow = { line: number; recipient: string; amount: MicroUsdc; reference: string | null }

/** What the Treasury knows of the recipients. Keys are recipients, in `samePaid` with the amount (`paidKey`). */
export type KnownRecipients = {
  paid: ReadonlySet<string>
  /** Another address, paid before, that looks the same when shortened. */
  lookAlikes: ReadonlyMap<string, string>
  /** When the same was paid last (ms), within `samePaidMs`. */
  samePaid: ReadonlyMap<string, number>
  /** Who changed the contact that has this recipient, which was not paid since. */
  changedBy: ReadonlyMap<string, string>
}

export const samePaidMs = 30 * 86_400_000 // 30 days
export const paidKey = (recipient: string, amount: MicroUsdc): string => `${amount} ${recipient}`

/** The verdicts of each row, in the order of the rows. */
export function runVerdicts(rows: readonly ResolvedRow[], _known: KnownRecipients): Verdict[][] {
  return rows.map(() => [])
}
