import type { ApprovalRow } from '../approvals/rows.ts'
import type { GroupRow, PaymentRow, WalletRow } from '../storage/rows.ts'

/** `group` as it is with this payment reserved. */
export type Accepted = { payment: PaymentRow } & (
  | { replayed: true }
  | { replayed: false; wallet: WalletRow; group: GroupRow | null }
)
/** The owner has to approve it first: nothing is reserved. */
export type Asked = { asked: ApprovalRow; replayed: boolean }
