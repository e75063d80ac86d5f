/** Rows of the Treasury's SQLite. Amounts are micro-USDC as integers; `fromColumn` converts them to money. */
export type { ApprovalRow, GrantRow } from './approvalTables.ts'
export type { BookingRow, MovementRow } from './bookingTables.ts'
export type { NoticeRow, WebhookRow } from './eventTables.ts'
export type { PaymentRow, PayoutRow } from './paymentTables.ts'
export type { AgentRow, CredentialRow, GroupRow, WhitelistRow } from './policyTables.ts'
export type { RunRow, RunRowRow } from './runTables.ts'
export type { SendOnRow } from './sendOnTable.ts'
export type { ImportedKeyRow, SessionRow, WalletActionRow, WalletRow } from './walletTables.ts'
