import type { MicroUsdc } from '../money.ts'

/** A row of a payout run, as its file says it. */

export const maxRunRows = 1_000
export const maxRunBytes = 256 * 1024

/** Who a row pays. Addresses have their checksum, emails are in their stored form, phone numbers are E.164. */
export type RunRecipient =
  | { type: 'address'; address: `0x${string}` }
  | { type: 'email'; email: string }
  | { type: 'phone'; phone: string }
  | { type: 'contact'; name: string }

/** `line`: of the file, from 1 and with the header; for JSON the position in the list, from 1. */
export type RunRow = {
  line: number
  to: RunRecipient
  amount: MicroUsdc
  name: string | null
  memo: string | null
  reference: string | null
}

export const runColumns = ['to', 'amount', 'name', 'memo', 'reference'] as const
export type RunColumn = (typeof runColumns)[number]
/** The cells of a row, without blanks at their ends. */
export type Cells = Record<RunColumn, string>

/**
 * A row as read. `written` is what the file says, for screens; `row` is null if `problem` (one sentence, for the person who
 * made the file) says why.
 */
export type ReadRow = { line: number; written: Cells; row: RunRow | null; problem: string | null }

/** Equal for the same recipient, as in `paid_recipient`. Null for a contact, which the Treasury resolves. */
export function recipientKey(to: RunRecipient): string | null {
  switch (to.type) {
    case 'address':
      return to.address.toLowerCase()
    case 'email':
      return to.email
    case 'phone':
      return to.phone
    case 'contact':
      return null
  }
}
