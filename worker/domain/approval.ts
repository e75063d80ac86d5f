import { formatUsdcText, type MicroUsdc, saturatingSub } from './money.ts'
import { sameAddress } from './sameAddress.ts'
import { dayMs } from './time.ts'

/** Decides when the owner must approve a payment, and which payments a grant covers. */

/** When a group's payments need the owner's approval. A `duplicateMinutes` of 0 turns that rule off. */
export type ApprovalRules = {
  /** Payments strictly above this amount need approval. Null if the amount never matters. */
  approveAbove: MicroUsdc | null
  approveNewRecipient: boolean
  /** How long an approval stays open. */
  approvalTtlHours: number
  /** Repeating the same amount to the same recipient within this time needs approval. */
  duplicateMinutes: number
}
export const defaultApprovalRules: ApprovalRules = {
  approveAbove: null,
  approveNewRecipient: false,
  approvalTtlHours: 24,
  duplicateMinutes: 0,
}
export const maxApprovalTtlHours = 24 * 7
export const maxDuplicateMinutes = 60 * 24 * 7

export type ApprovalKind = 'payment' | 'budget'
export type ApprovalStatus = 'PENDING' | 'APPROVED' | 'DENIED' | 'EXPIRED' | 'CANCELLED'
export type ApprovalEvent = 'approve' | 'deny' | 'expire' | 'cancel'
export type AskedRule = 'above_limit' | 'new_recipient' | 'duplicate' | 'unrecorded_transfer' | 'budget_request'
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

/** The facts about a payment that approvals depend on. */
export type AskedPayment = {
  amount: MicroUsdc
  /** The account has not paid this recipient before. */
  isNewRecipient: boolean
  /** The group has paid, or asked for, the same amount to the same recipient within `duplicateMinutes`. */
  isDuplicate: boolean
  /** It equals a transfer that was found without a record when the account was restored. */
  isUnrecorded: boolean
}

/** The rules that require approval, most significant first. Empty if the payment needs none. */
export function askedRules(rules: ApprovalRules, payment: AskedPayment): AskedRule[] {
  const asked: AskedRule[] = []
  if (rules.approveAbove !== null && payment.amount > rules.approveAbove) asked.push('above_limit')
  if (rules.approveNewRecipient && payment.isNewRecipient) asked.push('new_recipient')
  if (rules.duplicateMinutes > 0 && payment.isDuplicate) asked.push('duplicate')
  if (payment.isUnrecorded) asked.push('unrecorded_transfer')
  return asked
}

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

/** The rules that require approval despite a grant: a duplicate may be an accident. */
export const askedDespiteGrant = (asked: readonly AskedRule[]): AskedRule[] =>
  asked.filter((rule) => rule !== 'above_limit' && rule !== 'new_recipient')

/** Why approval is needed, as text for the owner. */
export function askedText(rule: AskedRule, rules: ApprovalRules): string {
  switch (rule) {
    case 'above_limit':
      return rules.approveAbove === null
        ? 'It is above the amount that the policy group pays without asking.'
        : `It is above ${formatUsdcText(rules.approveAbove)} USDC, the most that the policy group pays without asking.`
    case 'new_recipient':
      return 'This account has not paid the recipient before.'
    case 'duplicate':
      return `The policy group has paid, or asked for, the same amount to the same recipient within ${minutesText(rules.duplicateMinutes)}.`
    case 'unrecorded_transfer':
      return 'The account was restored from a backup, and this may be a payment that was already made: the same amount has been sent, and its record is lost.'
    case 'budget_request':
      return 'The agent asks for more budget.'
  }
}

const minutesText = (minutes: number) =>
  minutes % 60 === 0 && minutes > 0 ? hoursText(minutes / 60) : `${minutes} minutes`
const hoursText = (hours: number) => (hours === 1 ? '1 hour' : `${hours} hours`)

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
