import type { ApprovalRow } from '../approvals/rows.ts'
import type { GroupRow, PaymentRow, WalletRow } from '../storage/rows.ts'

/** `group` already includes the reservation of this payment. */
export type Accepted = { payment: PaymentRow } & (
  | { replayed: true }
  | { replayed: false; wallet: WalletRow; group: GroupRow | null }
)
/** The payment needs the owner's approval first; nothing is reserved. */
export type Asked = { asked: ApprovalRow; replayed: boolean }
