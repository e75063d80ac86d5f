import { z } from 'zod'
import type { ApprovalKind, ApprovalStatus, AskedRule, CancelReason, GrantEnd } from '#domain/approval.ts'
import type { ChainName } from '#domain/networks.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import type { PaymentNotes } from '#domain/paymentNotes.ts'
import type { RecipientType } from '#domain/scopes.ts'
import { dayMs } from '#domain/time.ts'
import { ownerPassword, rowCursor, usdcAmount } from './common.ts'
import type { RecipientHistory } from './transaction.ts'

export type { ApprovalKind, ApprovalStatus, AskedRule, CancelReason, GrantEnd }

/** State of the notice on one channel to the owner. `at` (ISO 8601) is the time of that state; null for `not_set_up`. */
export type Channel = { state: 'waiting' | 'accepted' | 'failed' | 'not_set_up'; at: string | null }

/**
 * An agent's request to its owner: a payment for which a rule of the group requires approval, or more budget. Amounts are
 * decimal USDC, times ISO 8601. The content to decide on is frozen when the agent asks.
 */
export type Approval = PaymentNotes & {
  id: string
  kind: ApprovalKind
  status: ApprovalStatus
  /** Current names, also if deleted since. */
  agent: { id: string; name: string; paused: boolean }
  policyGroup: { id: string; name: string }
  wallet: { id: string; name: string | null; address: string; chain: ChainName }
  /**
   * Who would be paid; null for a budget request. Exactly one of address, email and phone is set: where the money goes. The
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
  /**
   * Of a purchase: what is bought (the method, and the address without its query) and from which host. `isConfirmed`: whether
   * the host itself has named the recipient's address to Bursar; null once the approval has ended. Null for everything else.
   */
  purchase: { resource: string; host: string; isConfirmed: boolean | null } | null
  /**
   * What is known about the recipient at this moment: the number of payments by the user or their agents on this chain that
   * did not fail (10: ten or more), and another paid address that looks like this one. A purchase's recipient is its host with the
   * address. Null for a budget request, and once
   * the approval has ended.
   */
  recipientHistory: Pick<RecipientHistory, 'payments' | 'lookAlike'> | null
  amount: string
  /** Plain text written by the agent; show it as "The agent says". */
  agentReason: string | null
  /** Why approval is required: at least one rule, each with a sentence for people. */
  askedBecause: { rule: AskedRule; message: string }[]
  askedAt: string
  /** Without a decision by then it becomes EXPIRED, and nothing is paid. */
  expiresAt: string
  /** Null while PENDING. */
  endedAt: string | null
  /** Who approved or denied it, or null. */
  decidedBy: { id: string; name: string | null } | null
  /** Only set if CANCELLED. */
  cancelledWhy: { reason: CancelReason; message: string } | null
  /** Null for a budget request. */
  payment: { id: string; status: PaymentStatus; txHash: string | null } | null
  /** What approving it now would do; null once it has ended. It may still be refused after a fresh read of the chain. */
  wouldPass: { ok: true } | { ok: false; rule: string; message: string } | null
  /** Number of other payments of this amount to this recipient that were accepted since the agent asked. */
  equalPaymentsSince: number
  /** Covers all content to decide on. Send it with the decision, which is refused (409) if the content has changed. */
  hash: string
  /** Whether approving requires the owner's password. */
  needsPassword: boolean
  /** Whether "Always allow" is offered: for payments to an address, and purchases from a seller that is confirmed. */
  canGrant: boolean
  /** The grant that was created with the approval. */
  grantId: string | null
  channels: { email: Channel; push: Channel }
}

/** GET /approvals. All pending ones (at most 50) are on the first page. `next` is the cursor for more ended ones. */
export type ApprovalList = { approvals: Approval[]; pending: number; next: string | null }

/**
 * Permission for one agent to pay one address without approval, up to a total amount and until an end, by payments and by
 * purchases from any host. It covers only the
 * rules `above_limit` and `new_recipient`; all others still apply.
 */
export type Grant = {
  id: string
  status: 'active' | 'ended'
  agent: { id: string; name: string }
  policyGroup: { id: string; name: string }
  address: string
  contact: { id: string; name: string } | null
  /** Decimal USDC. `used` counts accepted payments that have not failed. */
  limit: string
  used: string
  remaining: string
  createdAt: string
  createdBy: { id: string; name: string | null }
  /** The approval that created it. */
  approvalId: string
  /** When it stops applying (ISO 8601). */
  endsAt: string
  endedAt: string | null
  endedWhy: { reason: GrantEnd; message: string } | null
}

/** GET and PUT /approval-settings. Approving more than this (decimal USDC) requires the password. Null if it never does. */
export type ApprovalSettings = { passwordAbove: string | null }

export const ApprovalsQuery = z.strictObject({
  status: z.enum(['pending', 'ended', 'all']).default('all'),
  agentId: z.string().max(64).optional(),
  cursor: rowCursor.optional(),
})
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'Send the hash of the approval that was shown')
/** Maximum duration of a grant. */
export const maxGrantMs = 366 * dayMs

/** `amount` is the total for further payments, beyond the approved one. `endsAt` is ISO 8601, within 366 days. */
export const NewGrant = z.strictObject({ amount: usdcAmount, endsAt: z.iso.datetime({ offset: true }) })
/** POST /approvals/{id}/approve. `password` is required if `needsPassword` is set, or if the grant raises what may leave beyond the limit. */
export const Approve = z.strictObject({ hash, password: ownerPassword, grant: NewGrant.optional() })
/** POST /approvals/{id}/deny. `pauseAgent` also pauses the agent in the same step. */
export const Deny = z.strictObject({ hash, pauseAgent: z.boolean().optional() })
export const GrantsQuery = z.strictObject({
  status: z.enum(['active', 'ended', 'all']).default('active'),
  agentId: z.string().max(64).optional(),
})
/** PUT /approval-settings. Raising or removing the limit requires the password. */
export const SetApprovalSettings = z.strictObject({
  passwordAbove: usdcAmount.nullable(),
  password: ownerPassword,
})
