import type { NewRow as NewRowOf, RowOf } from '../../../durable/table.ts'
import type { treasuryTables } from './tables.ts'

type OneTable = (typeof treasuryTables)[number]

/** The tables that `Store.insert` and `Store.update` write. */
export type Rows = { [Each in OneTable as Each['name']]: RowOf<Each> }

/** What `Store.insert` requires. A payment is written with all its columns: `newPayment` names them. */
export type NewRow<Name extends keyof Rows> = Name extends 'payment' | 'audit'
  ? Rows[Name]
  : NewRowOf<Extract<OneTable, { name: Name }>>
