import { approvalPath } from '#domain/approval.ts'
import { isoOf } from '#domain/time.ts'
import type { Payment } from '#schemas/payment.ts'
import type { Context } from '../core/context.ts'
import type { ApprovalRow, GrantRow, PaymentRow } from '../storage/rows.ts'

export const approvalRow = ({ store }: Context, id: string): ApprovalRow | null =>
  store.first<ApprovalRow>('SELECT * FROM approval WHERE id = ?', id)

export const grantRow = ({ store }: Context, id: string): GrantRow | null =>
  store.first<GrantRow>('SELECT * FROM approval_grant WHERE id = ?', id)

/** The wallet that would pay: the payment's, or for a budget request the group's. */
export const walletOf = ({ store }: Context, { group_id }: ApprovalRow, payment: PaymentRow | null) =>
  store.wallet(
    payment?.wallet_id ??
      store.first<{ wallet_id: string }>('SELECT wallet_id FROM policy_group WHERE id = ?', group_id)!.wallet_id,
  )

/** An approval as shown to agents. */
export const approvalReference = ({ env }: Context, row: ApprovalRow): NonNullable<Payment['approval']> => ({
  id: row.id,
  status: row.status,
  requested_at: isoOf(row.asked_at),
  decided_at: isoOf(row.ended_at),
  expires_at: isoOf(row.expires_at),
  url: `${env.APP_ORIGIN}${approvalPath(row.id)}`,
})
