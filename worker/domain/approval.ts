import { formatUsdcText, type MicroUsdc, saturatingSub } from './money.ts'

/** When a person has to decide about a payment, and what their standing permission answers. */

/** What a group asks its owner about. Amounts and times as elsewhere; `duplicateMinutes` 0: off. */
export type ApprovalRules = {
  /** Strictly above it the owner is asked. Null: never because of the amount. */
  approveAbove: MicroUsdc | null
  approveNewRecipient: boolean
  /** How long an approval waits for an answer. */
  approvalTtlHours: number
  /** The same amount to the same recipient again within this time is asked about. */
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
export type AskedRule = 'above_limit' | 'new_recipient' | 'duplicate' | 'budget_request'
/** Why it ended without anybody deciding. `agent`: the agent took it back. */
export type CancelReason = 'agent' | 'agent_deleted' | 'group_deleted' | 'wallet_deleted' | 'account_restored'
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

/** The status after `event`, or null if it has ended before: an approval is decided once. */
export const nextApproval = (status: ApprovalStatus, event: ApprovalEvent): ApprovalStatus | null =>
  status === 'PENDING' ? ended[event] : null

/** At most this many wait for an answer: more would not be read. */
export const maxPending = { agent: 10, account: 50 }
/** A denied content is not asked again for this long. */
export const deniedForMs = 24 * 3_600_000 // 24 hours
export const reasonMax = 280

/** What a payment is, as far as approvals depend on it. */
export type AskedPayment = {
  amount: MicroUsdc
  /** The account has not paid this recipient before. */
  isNewRecipient: boolean
  /** The group has paid, or asked for, the same amount to the same recipient within `duplicateMinutes`. */
  isDuplicate: boolean
}

/** The rules that want a person to decide, most telling first. Empty: the payment passes alone. */
export function askedRules(rules: ApprovalRules, payment: AskedPayment): AskedRule[] {
  const asked: AskedRule[] = []
  if (rules.approveAbove !== null && payment.amount > rules.approveAbove) asked.push('above_limit')
  if (rules.approveNewRecipient && payment.isNewRecipient) asked.push('new_recipient')
  if (rules.duplicateMinutes > 0 && payment.isDuplicate) asked.push('duplicate')
  return asked
}

/** A standing permission: one agent, one address, an amount in total, an end (ms, exclusive). */
export type GrantTerms = {
  agentId: string
  address: string
  limit: MicroUsdc
  used: MicroUsdc
  endsAt: number
  ended: boolean
}

export const grantLeft = ({ limit, used }: Pick<GrantTerms, 'limit' | 'used'>): MicroUsdc => saturatingSub(limit, used)

/** Addresses are compared without case. */
export const grantCovers = (
  grant: GrantTerms,
  payment: { agentId: string; address: string; amount: MicroUsdc; at: number },
): boolean =>
  !grant.ended &&
  payment.at < grant.endsAt &&
  grant.agentId === payment.agentId &&
  grant.address.toLowerCase() === payment.address.toLowerCase() &&
  payment.amount <= grantLeft(grant)

/** What a grant leaves to a person: a duplicate may be an accident, whoever is paid. */
export const askedDespiteGrant = (asked: readonly AskedRule[]): AskedRule[] =>
  asked.filter((rule) => rule !== 'above_limit' && rule !== 'new_recipient')

/** Why it is asked, for the person who decides. */
export function askedText(rule: AskedRule, rules: ApprovalRules): string {
  switch (rule) {
    case 'above_limit':
      return rules.approveAbove === null
        ? 'It is above the amount that the policy group pays without asking.'
        : `It is above ${formatUsdcText(rules.approveAbove)} USDC, up to which the policy group pays without asking.`
    case 'new_recipient':
      return 'This account has not paid the recipient before.'
    case 'duplicate':
      return `The policy group has paid, or asked for, the same amount to the same recipient within ${minutesText(rules.duplicateMinutes)}.`
    case 'budget_request':
      return 'The agent asks for more budget.'
  }
}

const minutesText = (minutes: number) =>
  minutes % 60 === 0 && minutes > 0 ? hoursText(minutes / 60) : `${minutes} minutes`
const hoursText = (hours: number) => (hours === 1 ? '1 hour' : `${hours} hours`)

const cancelTexts: Record<CancelReason, string> = {
  agent: 'The agent took it back.',
  agent_deleted: 'The agent was deleted.',
  group_deleted: 'The policy group was deleted.',
  wallet_deleted: 'The wallet was deleted.',
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

/** Where the owner decides, below the origin of the app. */
export const approvalPath = (approvalId: string): string => `/dashboard/approvals/${approvalId}`
