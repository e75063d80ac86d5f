import type { GroupRow, PaymentRow, WalletRow } from '../storage/rows.ts'

/** A payment that was accepted, waits for approval, or (`replayed`) was requested earlier with the same key. */
export type Accepted = {
  payment: PaymentRow
  replayed: boolean
  /** The rows of a payment that was accepted now. `group` already includes its reservation. */
  accepted: { wallet: WalletRow; group: GroupRow | null } | null
}
