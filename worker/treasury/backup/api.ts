import type { Owner } from '../../db/keptAccounts.ts'

export type { Owner }

/** Where a call of `reproject` goes on: after this payment. */
export type ReprojectCursor = { after: string }

/** Rows by table. */
export type RowCounts = Record<string, number>

/** `rows`: what the Treasury has for D1; `changed`: those that D1 lacked, or had otherwise. `next` null: this was the end. */
export type Reprojected = { next: ReprojectCursor | null; rows: RowCounts; changed: RowCounts; problem: string | null }

/** A contact as D1 has it. */
export type Contact = { id: string; name: string; address: string | null; email: string | null; phone: string | null }
/** `toConfirm`: contacts that the owner is asked to confirm. `missing`: those that D1 lacks. */
export type ComparedContacts = { toConfirm: number; missing: Contact[] }

/** What makes D1 replaceable; part of TreasuryApi. */
export interface BackupCalls {
  /** Keeps who the owner is, unless a later state is known. */
  keepOwner(owner: Owner): Promise<void>
  /** When the owner's password was chosen (ms), as far as the Treasury knows: an older one is not theirs any more. */
  passwordEpoch(): Promise<number>
  /**
   * Sends a part of what D1 has of this account again: first the account itself, then a hundred payments at a time. Harmless
   * to repeat and to interrupt. `isDry`: only counts.
   */
  reproject(input: { from: ReprojectCursor | null; isDry: boolean }): Promise<Reprojected>
  /** After D1 was restored to an earlier time: `contacts` are those that it has of this account. */
  compareContacts(contacts: Contact[], isDry: boolean): Promise<ComparedContacts>
}
