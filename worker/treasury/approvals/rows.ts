import type { ApprovalKind, ApprovalStatus, CancelReason, GrantEnd } from '#domain/approval.ts'
import type { RecipientType } from '#domain/scopes.ts'
import type { Channel } from '#schemas/approval.ts'
import type { Address } from '../../chain/types.ts'
import type { Context } from '../context.ts'

/** Rows of the tables in tables.ts. Amounts are micro-USDC, times ms. */
export type ApprovalRow = {
  id: string
  kind: ApprovalKind
  status: ApprovalStatus
  agent_id: string
  group_id: string
  wallet_id: string
  /** The credential that the agent used. It must still be valid when the owner approves. */
  credential_hash: string
  payment_id: string | null
  /** The agent's `Recipient` as JSON. */
  recipient: string | null
  to_type: RecipientType | null
  to_address: Address | null
  contact_id: string | null
  contact_name: string | null
  email: string | null
  phone: string | null
  amount: number
  memo: string | null
  agent_reason: string | null
  /** `askedBecause` of the view as JSON. */
  asked: string
  content: string
  policy_version: number
  asked_at: number
  expires_at: number
  ended_at: number | null
  decided_by: string | null
  decided_name: string | null
  cancelled: CancelReason | null
  grant_id: string | null
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

export const approvalRow = ({ store }: Context, id: string): ApprovalRow | null =>
  store.first<ApprovalRow>('SELECT * FROM approval WHERE id = ?', id)

/** The row as it should be shown: an overdue approval has expired, even if the alarm has not ended it yet. */
export const asOfNow = ({ now }: Context, row: ApprovalRow): ApprovalRow =>
  row.status === 'PENDING' && row.expires_at <= now() ? { ...row, status: 'EXPIRED', ended_at: row.expires_at } : row

export const approvalOfPayment = ({ store }: Context, paymentId: string): ApprovalRow | null =>
  store.first<ApprovalRow>('SELECT * FROM approval WHERE payment_id = ?', paymentId)

export const grantRow = ({ store }: Context, id: string): GrantRow | null =>
  store.first<GrantRow>('SELECT * FROM approval_grant WHERE id = ?', id)
