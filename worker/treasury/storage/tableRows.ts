import type { WebhookEvent } from '#domain/events.ts'
import type { ConnectionRow, RefreshTokenRow } from './connectionRows.ts'
import type { PurchaseClassRow, PurchaseRow, SellerRow } from './purchaseRows.ts'
import type {
  AgentRow,
  ApprovalRow,
  BookingRow,
  CredentialRow,
  GrantRow,
  GroupRow,
  ImportedKeyRow,
  MovementRow,
  NoticeRow,
  PaymentRow,
  PayoutRow,
  RecipientWindowRow,
  SessionRow,
  WalletActionRow,
  WalletRow,
  WebhookRow,
  WhitelistRow,
} from './rows.ts'

/** The tables that `Store.insert` and `Store.update` write. */
export type Rows = {
  wallet: WalletRow
  session: SessionRow
  imported_key: ImportedKeyRow
  wallet_action: WalletActionRow
  policy_group: GroupRow
  recipient_window: RecipientWindowRow
  whitelist: WhitelistRow
  agent: AgentRow
  credential: CredentialRow
  connection: ConnectionRow
  refresh_token: RefreshTokenRow
  payment: PaymentRow
  payout: PayoutRow
  purchase: PurchaseRow
  purchase_class: PurchaseClassRow
  seller: SellerRow
  approval: ApprovalRow
  approval_grant: GrantRow
  booking: BookingRow
  movement: MovementRow
  webhook: WebhookRow
  /** `body` is JSON, and `endpoints` a JSON list of webhook ids. */
  webhook_event: { id: string; type: WebhookEvent; at: number; body: string; endpoints: string }
  audit: { seq: number; at: number; event: string; ref: string; data: string; previous: string; hash: string }
  notice: NoticeRow
  idempotency: { key: string; fingerprint: string; kind: string; ref: string; created_at: number }
}
