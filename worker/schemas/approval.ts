import { z } from 'zod'
import type { ApprovalKind, ApprovalStatus, AskedRule, CancelReason, GrantEnd } from '#domain/approval.ts'
import type { ChainName } from '#domain/networks.ts'
import type { RecipientType } from '#domain/scopes.ts'
import { usdcAmount } from './common.ts'
import type { TransactionStatus } from './transaction.ts'

export type { ApprovalKind, ApprovalStatus, AskedRule, CancelReason, GrantEnd }

/** What one way of reaching the owner did with the notice. `at` (ISO 8601): when that was; null for `not_set_up`. */
export type Channel = { state: 'waiting' | 'accepted' | 'failed' | 'not_set_up'; at: string | null }

/**
 * What an agent asks its owner: a payment that a rule of its group does not let pass alone, or more budget. Amounts are
 * decimal USDC, times ISO 8601. What a person decides on is frozen when it is asked.
 */
export type Approval = {
  id: string
  kind: ApprovalKind
  status: ApprovalStatus
  /** Names as they are now, also of what was deleted since. */
  agent: { id: string; name: string }
  policyGroup: { id: string; name: string }
  wallet: { id: string; name: string | null; address: string; chain: ChainName }
  /**
   * Whom it pays; null for a budget request. Exactly one of address, email and phone is set: where the money goes. The
   * contact's name is the one it had when the agent asked.
   */
  recipient: {
    type: RecipientType
    address: string | null
    email: string | null
    phone: string | null
    contactId: string | null
    contactName: string | null
  } | null
  amount: string
  memo: string | null
  /** Plain text in the agent's words; show it as "The agent says". */
  agentReason: string | null
  /** Why it was asked: at least one rule, each with a sentence for people. */
  askedBecause: { rule: AskedRule; message: string }[]
  askedAt: string
  /** Without a decision until then it ends as EXPIRED, and nothing is paid. */
  expiresAt: string
  /** Null while PENDING. */
  endedAt: string | null
  /** Who approved or denied it; null if nobody did. */
  decidedBy: { id: string; name: string | null } | null
  /** Of CANCELLED ones alone. */
  cancelledWhy: { reason: CancelReason; message: string } | null
  /** Null for a budget request. While nobody has approved it, no payment exists under this id. */
  payment: { id: string; status: TransactionStatus | 'PENDING_APPROVAL'; txHash: string | null } | null
  /** What approving it now would do; null once it has ended. A fresh reading of the chain may still refuse. */
  wouldPass: { ok: true } | { ok: false; rule: string; message: string } | null
  /** Other payments of this amount to this recipient that were accepted since it was asked. */
  sameSinceAsked: number
  /** Covers everything above that a person decides on. Send it with the decision: after a change it is refused (409). */
  hash: string
  /** Approving it needs the owner's password. */
  needsPassword: boolean
  /** "Always allow" is offered for payments to an address alone. */
  canGrant: boolean
  /** The grant that was made with the approval. */
  grantId: string | null
  channels: { email: Channel; push: Channel }
}

/** GET /approvals. `next`: cursor of the next page of ended ones; all pending ones (at most 50) are on the first page. */
export type ApprovalList = { approvals: Approval[]; pending: number; next: string | null }

/**
 * Payments of one agent to one address that are not asked again, up to an amount in total and an end. It answers
 * `above_limit` and `new_recipient` alone; every other rule still applies.
 */
export type Grant = {
  id: string
  status: 'active' | 'ended'
  agent: { id: string; name: string }
  policyGroup: { id: string; name: string }
  address: string
  contact: { id: string; name: string } | null
  /** Decimal USDC. `used` counts payments from their acceptance on; failed ones no longer. */
  limit: string
  used: string
  remaining: string
  createdAt: string
  createdBy: { id: string; name: string | null }
  /** The approval that it was made with. */
  approvalId: string
  /** Not used any more from then on (ISO 8601). */
  endsAt: string
  endedAt: string | null
  endedWhy: { reason: GrantEnd; message: string } | null
}

/** GET and PUT /approval-settings. Approving more than this (decimal USDC) needs the password; null: never. */
export type ApprovalSettings = { passwordAbove: string | null }

export const ApprovalsQuery = z.strictObject({
  status: z.enum(['pending', 'ended', 'all']).default('all'),
  agentId: z.string().max(64).optional(),
  cursor: z.string().max(200).optional(),
})
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'Send the hash of the approval that was shown')
const password = z.string().min(1).max(1_000)
const dayMs = 86_400_000
/** The latest end of a grant, from now. */
export const maxGrantMs = 366 * dayMs

/** `amount`: what the grant may pay in total, beyond the approved payment. `endsAt`: ISO 8601, within 366 days. */
export const NewGrant = z.strictObject({ amount: usdcAmount, endsAt: z.iso.datetime({ offset: true }) })
/** POST /approvals/{id}/approve. `password`: where `needsPassword` says so, or the grant exceeds the limit. */
export const Approve = z.strictObject({ hash, password: password.optional(), grant: NewGrant.optional() })
/** POST /approvals/{id}/deny. `pauseAgent`: its agent is paused in the same step. */
export const Deny = z.strictObject({ hash, pauseAgent: z.boolean().optional() })
export const GrantsQuery = z.strictObject({
  status: z.enum(['active', 'ended', 'all']).default('active'),
  agentId: z.string().max(64).optional(),
})
/** PUT /approval-settings. Needs the password when it is raised or removed. */
export const SetApprovalSettings = z.strictObject({
  passwordAbove: usdcAmount.nullable(),
  password: password.optional(),
})
