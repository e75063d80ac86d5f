/** Where the next call of `reproject` continues: after this payout. */
export type ReprojectCursor = { after: string }

/** Number of rows by table. */
export type RowCounts = Record<string, number>

/** `rows`: all that the Treasury has for D1; `changed`: those that D1 lacked or that differed. `next` is null at the end. */
export type Reprojected = { next: ReprojectCursor | null; rows: RowCounts; changed: RowCounts; problem: string | null }

/** A contact as D1 has it. */
export type Contact = { id: string; name: string; address: string | null; email: string | null; phone: string | null }
/** `toConfirm`: contacts that the owner is asked to confirm. `missing`: those that D1 lacks. */
export type ComparedContacts = { toConfirm: number; missing: Contact[] }
