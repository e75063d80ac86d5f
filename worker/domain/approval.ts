import { type MicroUsdc, saturatingSub } from './money.ts'
import { sameAddress } from './sameAddress.ts'
import { dayMs } from './time.ts'

/** Decides when the owner must approve a payment, and which payments a grant covers. */

export type ApprovalKind = 'payment' | 'budget'
export type ApprovalStatus = 'PENDING' | 'APPROVED' | 'DENIED' | 'EXPIRED' | 'CANCELLED'
export type ApprovalEvent = 'approve' | 'deny' | 'expire' | 'cancel'
/** The name of the rule that asks (domain/rules/), or of `accountAsks`. */
export type AskedRule = string
/** Reasons for an approval that are no rule of the policy group. */
export const accountAsks = {
  budget_request: 'The agent asks for more budget.',
  second_person:
    'With it, one person alone would decide more than the account’s limit within 24 hours. An approver has to agree.',
  unrecorded_transfer:
    'The account was restored from a backup, and this may be a payment that was already made: the same amount has been sent, and its record is lost.',
}
/** Why an approval ended without a decision. `agent`: the agent cancelled it. */
export type CancelReason = 'agent' | 'agent_deleted' | 'group_deleted' | 'account_restored'
export type GrantEnd =
  | 'owner'
  | 'expired'
  | 'contact_changed'
  | 'policy_changed'
  | 'credential_changed'
  | 'agent_deleted'
  | 'group_deleted'
  | 'account_restored'

const ended: Record<ApprovalEvent, ApprovalStatus> = {
  approve: 'APPROVED',
  deny: 'DENIED',
  expire: 'EXPIRED',
  cancel: 'CANCELLED',
}

/** The status after `event`, or null if the approval has already ended: it is decided only once. */
export const nextApproval = (status: ApprovalStatus, event: ApprovalEvent): ApprovalStatus | null =>
  status === 'PENDING' ? ended[event] : null

/** Maximum number of open approvals; an owner would not read more. */
export const maxPending = { agent: 10, account: 50 }
/** How long a denied request cannot be repeated. */
export const deniedForMs = dayMs
export const reasonMax = 280

/** An approval counts earlier payments to its recipient up to here, so that it is not outdated by each payment to a busy one. */
export const manyPayments = 10

/** A grant: one agent, one address, a total limit and an end (ms, exclusive). */
export type GrantTerms = {
  agentId: string
  address: string
  limit: MicroUsdc
  used: MicroUsdc
  endsAt: number
  ended: boolean
}

export const grantLeft = ({ limit, used }: Pick<GrantTerms, 'limit' | 'used'>): MicroUsdc => saturatingSub(limit, used)

/** Whether the grant covers the payment. Addresses are compared case-insensitively. */
export const grantCovers = (
  grant: GrantTerms,
  payment: { agentId: string; address: string; amount: MicroUsdc; at: number },
): boolean =>
  !grant.ended &&
  payment.at < grant.endsAt &&
  grant.agentId === payment.agentId &&
  sameAddress(grant.address, payment.address) &&
  payment.amount <= grantLeft(grant)

const cancelTexts: Record<CancelReason, string> = {
  agent: 'The agent cancelled it.',
  agent_deleted: 'The agent was deleted.',
  group_deleted: 'The policy group was deleted.',
  account_restored: 'The account was restored from a backup.',
}
export const cancelText = (reason: CancelReason): string => cancelTexts[reason]

const grantEndTexts: Record<GrantEnd, string> = {
  owner: 'Ended by the owner.',
  expired: 'Its end date has passed.',
  contact_changed: 'The contact changed.',
  policy_changed: 'The policy group changed.',
  credential_changed: 'A credential of the agent was replaced.',
  agent_deleted: 'The agent was deleted.',
  group_deleted: 'The policy group was deleted.',
  account_restored: 'The account was restored from a backup.',
}
export const grantEndText = (reason: GrantEnd): string => grantEndTexts[reason]

/** Path of the page where the owner decides, relative to the app's origin. */
export const approvalPath = (approvalId: string): string => `/dashboard/approvals/${approvalId}`
