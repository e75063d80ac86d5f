import type { Owner } from '../../db/keptAccounts.ts'

export type { Owner }

/** Where the next call of `reproject` continues: after this payment. */
export type ReprojectCursor = { after: string }

/** Number of rows by table. */
export type RowCounts = Record<string, number>

/** `rows`: all that the Treasury has for D1; `changed`: those that D1 lacked or that differed. `next` is null at the end. */
export type Reprojected = { next: ReprojectCursor | null; rows: RowCounts; changed: RowCounts; problem: string | null }

/** A contact as D1 has it. */
export type Contact = { id: string; name: string; address: string | null; email: string | null; phone: string | null }
/** `toConfirm`: contacts that the owner is asked to confirm. `missing`: those that D1 lacks. */
export type ComparedContacts = { toConfirm: number; missing: Contact[] }

/** The calls that make D1 replaceable; part of TreasuryApi. */
export interface BackupCalls {
  /** Stores the owner's account data, unless a later state is known. */
  keepOwner(owner: Owner): Promise<void>
  /** When the owner's password was set (ms), as far as the Treasury knows. An older password is no longer valid. */
  passwordEpoch(): Promise<number>
  /**
   * Sends a part of what D1 has of this account again: first the account itself, then a hundred payments per call. Safe to
   * repeat and to interrupt. `isDry` only counts.
   */
  reproject(input: { from: ReprojectCursor | null; isDry: boolean }): Promise<Reprojected>
  /** Called after D1 was restored to an earlier time. `contacts` are those of this account in D1. */
  compareContacts(contacts: Contact[], isDry: boolean): Promise<ComparedContacts>
}
