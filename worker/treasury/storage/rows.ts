import type { ApprovalKind, ApprovalStatus, CancelReason, GrantEnd } from '#domain/approval.ts'
import type { NoticeEvent } from '#domain/events.ts'
import type { BookedEvent, ExpiryDays, PaymentStatus, PayoutStatus } from '#domain/payment.ts'
import type { PaymentNotes } from '#domain/paymentNotes.ts'
import type { RecipientType } from '#domain/scopes.ts'
import type { OwnerActionKind, WarnDays } from '#domain/sessionKey.ts'
import type { HaltKind } from '#domain/walletHalt.ts'
import type { DisableReason } from '#domain/webhookRules.ts'
import type { Channel } from '#schemas/approval.ts'
import type { MovementOrigin } from '#schemas/transaction.ts'
import type { Address, ChainId, Hex } from '../../chain/types.ts'

/**
 * Rows of the Treasury's SQLite. Amounts are micro-USDC as integers; `fromColumn` converts them to money. tables.ts says what
 * the columns mean.
 */
export type WalletRow = {
  id: string
  chain_id: ChainId
  kind: 'smart' | 'imported'
  address: Address
  owner: Address
  name: string | null
  status: 'deploying' | 'active' | 'failed' | 'deleted'
  factory: Address
  salt: Hex
  session_key: Address
  sealed_key: string
  session_limit: number
  purchase_allowance: number
  valid_until: number
  deploy_tx: Hex | null
  error: string | null
  deposits: number
  returns: number
  out: number
  withdrawn: number
  held: number
  scanned_block: number
  anchor_block: number | null
  anchor_hash: Hex | null
  final_block: number
  active_block: number | null
  paused: number
  halt_kind: HaltKind | null
  halt_detail: string | null
  mismatch_since: number | null
  final_mismatch_since: number | null
  reread_at: number | null
  doubted_block: number | null
  doubted_since: number | null
  created_at: number
  contract_set: number
  start_block: number
  start_balance: number
  /** The key of its row in `idempotency`; null if there is none. */
  request_key: string | null
}

export type SessionRow = {
  wallet_id: string
  epoch: number
  key_address: Address
  sealed_key: string
  purchase_allowance: number
  spend_limit: number
  used: number
  held: number
  valid_until: number
  next_sequence: number
  current: number
  adopted_block: number | null
  undone: number
  adopted_at: number
  warned_days: WarnDays | null
  refill_refused: string | null
}

export type GroupRow = {
  id: string
  wallet_id: string
  name: string
  spend_limit: number | null
  spent: number
  held: number
  scopes: string
  version: number
  paused: number
  payments: number
  last_activity_at: number | null
  created_at: number
  deleted_at: number | null
  /** JSON of the rules that are on: domain/rules/values.ts. */
  rules: string
  /** JSON of what they have counted over time: storage/countedWindows.ts. */
  windows: string
  subjects: number
  unclaimed: number
  /** Percent of `noticed_limit` that the owner was last notified of. */
  noticed: number
  noticed_limit: number | null
}

/** `subject`: the recipient. `windows`: as in a group's row. */
export type RecipientWindowRow = {
  group_id: string
  subject: string
  windows: string
  ends_at: number
}

export type WhitelistRow = {
  group_id: string
  contact_id: string
  name: string
  address: Address | null
  email: string | null
  phone: string | null
  stale: number
}

export type AgentRow = {
  id: string
  group_id: string
  name: string
  memo: string | null
  client_id: string
  payments: number
  spent: number
  held: number
  last_activity_at: number | null
  paused: number
  created_at: number
  deleted_at: number | null
}

export type CredentialRow = {
  hash: string
  agent_id: string
  kind: 'secret' | 'api_key' | 'connection'
  expires_at: number | null
  created_at: number
}

/** domain/payment.ts has its states. */
export type PaymentRow = PaymentNotes & {
  id: string
  kind: 'send' | 'payout' | 'x402'
  wallet_id: string
  group_id: string | null
  agent_id: string | null
  policy_version: number | null
  to_type: RecipientType
  to_address: Address | null
  contact_id: string | null
  contact_name: string | null
  recipient_email: string | null
  recipient_phone: string | null
  /** Of a purchase; null for all others. */
  resource: string | null
  seller: string | null
  amount: number
  /** Terms of a payout, as requested. */
  expires_in_days: ExpiryDays | null
  sender_name: string | null
  status: PaymentStatus
  error_code: string | null
  error_message: string | null
  refusal: string | null
  /** When it was requested. */
  created_at: number
  /** When its amount was reserved; null if it never was. */
  accepted_at: number | null
  signed_at: number | null
  broadcast_at: number | null
  confirmed_at: number | null
  released_at: number | null
  tx_hash: Hex | null
  give_up_at: number
  epoch: number | null
  sequence: number | null
  deadline: number | null
  max_deadline: number | null
  sig_version: number
  r: Hex | null
  vs: Hex | null
  first_block: number | null
  /** EIP-3009 nonce; null for sends of smart wallets, whose nonce is epoch and sequence. */
  authorization: Hex | null
  /** Gas units paid for each step; null if not reported. */
  gas_send: number | null
  gas_announce: number | null
  gas_end: number | null
  /** Why the contract refuses the newest signature; null if it is not known to. */
  revert: string | null
  /** The approval that it waited for, and the grant that it used. */
  approval_id: string | null
  grant_id: string | null
  /** The key of its row in `idempotency`; null if there is none. */
  request_key: string | null
}

export type ImportedKeyRow = {
  wallet_id: string
  sealed_view: string
  domain_separator: Hex
  /** Wrong master passwords since the last correct one or the last lock. */
  tries: number
  locked_until: number
}

export type PayoutRow = {
  id: string
  wallet_id: string
  address: Address
  claim_key: Address
  reclaim_key: Address
  payer: Address
  amount: number
  expiry: number
  payout_hash: Hex
  expires_at: number
  sender_name: string | null
  status: PayoutStatus
  funded: number
  announced: number
  sealed_token: string
  token_hash: string
  code_hmac: string | null
  code_version: number
  sealed_code: string | null
  code_until: number
  tries_version: number
  code_at: number
  sender_resends: number
  recipient_resends: number
  action: 'claim' | 'reclaim' | null
  action_to: Address | null
  action_deadline: number | null
  action_r: Hex | null
  action_vs: Hex | null
  action_version: number
  action_block: number | null
  action_delivered_at: number | null
  action_tx: Hex | null
  action_by: 'recipient' | 'sender' | 'expiry' | null
  done_tx: Hex | null
  done_at: number | null
  withdrawn_to: Address | null
  created_at: number
  updated_at: number
  announce_delivered_at: number | null
  reclaim_asked_at: number | null
  reminded: number
  /** When an operator took its link down (ms). */
  taken_down_at: number | null
  /** When its recipient asked for a receipt (ms). */
  receipt_at: number | null
  /** The block of a reclaim that is not known to be final; until then the amount stays held. */
  returned_block: number | null
  /** The version of the payout secret from which its keys are derived. */
  secret_version: number
  /** The version of the contracts whose escrow it uses: its wallet's, or for imported wallets the newest of that time. */
  contract_set: number
}

/** wallets/actions/actions.ts has its states. */
export type WalletActionRow = {
  id: string
  wallet_id: string
  kind: 'rotate' | OwnerActionKind
  status: 'offered' | 'draining' | 'sent' | 'done' | 'failed'
  key_address: Address | null
  sealed_key: string | null
  spend_limit: number | null
  ttl_hours: number | null
  purchase_allowance: number | null
  valid_until: number | null
  /** The session being replaced. */
  epoch: number | null
  /** uint256 in decimal. */
  owner_nonce: string | null
  to_address: Address | null
  amount: number | null
  deadline: number | null
  data: Hex | null
  first_block: number | null
  drain_until: number | null
  tx_hash: Hex | null
  error: string | null
  created_at: number
  ended_at: number | null
  /** The block at which the chain showed the action as done. */
  done_block: number | null
}

/** A request to the owner: a payment that waits, or more budget. */
export type ApprovalRow = {
  id: string
  kind: ApprovalKind
  status: ApprovalStatus
  agent_id: string
  group_id: string
  /** The credential that the agent used. It must still be valid when the owner approves. */
  credential_hash: string
  /** Null for a budget request. */
  payment_id: string | null
  amount: number
  /** The agent's. */
  reason: string | null
  /** `askedBecause` of the view as JSON. */
  rules: string
  /** Equal for repeated requests: approvals/approvalRules.ts. */
  same_request: string
  asked_at: number
  expires_at: number
  ended_at: number | null
  decided_by: string | null
  decided_name: string | null
  cancelled: CancelReason | null
  grant_id: string | null
  /** The number of the message that notifies the owner. */
  email_batch: number | null
  email_state: Channel['state']
  email_at: number | null
  push_state: Channel['state']
  push_at: number | null
}

export type GrantRow = {
  id: string
  approval_id: string
  agent_id: string
  group_id: string
  address: Address
  contact_id: string | null
  contact_name: string | null
  spend_limit: number
  used: number
  created_at: number
  created_by: string
  created_name: string | null
  ends_at: number
  ended_at: number | null
  end_reason: GrantEnd | null
}

/** `events` is JSON: a list of names, or of `*`. `version` rises when the webhook's failures are cleared. */
export type WebhookRow = {
  id: string
  url: string
  events: string
  enabled: number
  disabled_reason: DisableReason | null
  version: number
  sealed_secret: string
  sealed_old_secret: string | null
  old_secret_until: number | null
  created_at: number
}

/** What one log did to the books. Kept until its block is final. */
export type BookingRow = {
  seq: number
  wallet_id: string
  block: number
  log_index: number
  block_hash: Hex
  tx: Hex
  kind: 'deposited' | 'returned' | 'left' | 'announced' | BookedEvent
  value: number
  ref: string | null
  status_before: PayoutStatus | null
}

/**
 * Money that moved without a payment. `address`: the sender of a deposit or the recipient of a withdrawal; null if several
 * were listed together. `action_id`: the owner's withdrawal that it was.
 */
export type MovementRow = { id: string; wallet_id: string; kind: 'deposit' | 'withdrawal'; origin: MovementOrigin } & {
  amount: number
  at: number
} & { address: Address | null; tx: Hex | null; action_id: string | null }

/** `seq` is the number of the event's row in the audit log, `times` how often `about` has been repeated. */
export type NoticeRow = { seq: number; at: number; event: NoticeEvent; ref: string; about: string; times: number }
