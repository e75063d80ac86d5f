import type { MicroUsdc } from '#domain/money.ts'
import type { Approval, ApprovalList, ApprovalSettings, Grant } from '#schemas/approval.ts'
import type { BudgetRequest } from '#schemas/budgetRequest.ts'
import type { Result } from '../../result.ts'
import type { NoticeCalls } from '../notices/api.ts'
import type { Principal } from '../principal.ts'

/** What owners decide and agents ask; part of TreasuryApi. */

/** The signed-in person who decides, for the audit log and the views. */
export type Decider = { userId: string; name: string | null; sessionId: string }

/** `passwordChecked`: the person has just given the right password. `endsAt` in ms. */
export type ApproveInput = {
  hash: string
  by: Decider
  passwordChecked: boolean
  grant: { amount: MicroUsdc; endsAt: number } | null
}
export type DenyInput = { hash: string; by: Decider; pauseAgent: boolean }
export type ApprovalsInput = {
  status: 'pending' | 'ended' | 'all'
  agentId: string | null
  /** The last row of the page before. */
  after: { askedAt: number; id: string } | null
}
export type GrantsInput = { status: 'active' | 'ended' | 'all'; agentId: string | null }
export type BudgetRequestInput = { principal: Principal; key: string; amount: MicroUsdc; reason: string | null }

export interface ApprovalCalls extends NoticeCalls {
  approvals(input: ApprovalsInput): Promise<ApprovalList>
  approval(id: string): Promise<Result<Approval>>
  /**
   * All rules run again in the approving transaction. A refusal decides nothing: the request stays open. Approving what is
   * approved already returns it; what ended otherwise is a conflict.
   */
  approve(id: string, input: ApproveInput): Promise<Result<Approval>>
  deny(id: string, input: DenyInput): Promise<Result<Approval>>
  grants(input: GrantsInput): Promise<Grant[]>
  endGrant(id: string, by: Decider): Promise<Result<Grant>>
  approvalSettings(): Promise<ApprovalSettings>
  setApprovalSettings(input: {
    passwordAbove: MicroUsdc | null
    by: Decider
    passwordChecked: boolean
  }): Promise<Result<ApprovalSettings>>
  /** Resolves when one of these payments waits no longer, or after `forMs`; false at once if the agent waits too often. */
  waitForApprovals(principal: Principal, paymentIds: string[], forMs: number): Promise<Result<boolean>>
  /** POST /v1/budget-requests. The same key returns the same request as it is now. */
  requestBudget(input: BudgetRequestInput): Promise<Result<{ request: BudgetRequest; replayed: boolean }>>
  budgetRequest(principal: Principal, id: string): Promise<Result<BudgetRequest>>
}
