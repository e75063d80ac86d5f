import type { RowCursor } from '#domain/listCursor.ts'
import type { MicroUsdc } from '#domain/money.ts'
import type { Approval, ApprovalList, ApprovalSettings, Grant } from '#schemas/approval.ts'
import type { BudgetRequest } from '#schemas/budgetRequest.ts'
import type { Result } from '../../result.ts'
import type { NoticeCalls } from '../notices/api.ts'
import type { Principal } from '../principal.ts'

/** Requests by agents and the owner's decisions about them; part of TreasuryApi. */

/** The signed-in person who decides, for the audit log and the views. */
export type Decider = { userId: string; name: string | null; sessionId: string }

/** `passwordChecked` is true if the person has just entered the right password. `endsAt` in ms. */
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
  /** The last row of the previous page. */
  after: RowCursor | null
}
export type GrantsInput = { status: 'active' | 'ended' | 'all'; agentId: string | null }
export type BudgetRequestInput = { principal: Principal; key: string; amount: MicroUsdc; reason: string | null }

export interface ApprovalCalls extends NoticeCalls {
  approvals(input: ApprovalsInput): Promise<ApprovalList>
  approval(id: string): Promise<Result<Approval>>
  /**
   * All rules run again in the approving transaction. If one refuses, nothing is decided and the request stays open.
   * Approving an approved request again returns it; one that ended differently is a conflict.
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
  /** Resolves when one of these payments no longer waits, or after `forMs`. False if the agent has too many waits already. */
  waitForApprovals(principal: Principal, paymentIds: string[], forMs: number): Promise<Result<boolean>>
  /** POST /v1/budget-requests. The same key returns the same request in its current state. */
  requestBudget(input: BudgetRequestInput): Promise<Result<{ request: BudgetRequest; replayed: boolean }>>
  budgetRequest(principal: Principal, id: string): Promise<Result<BudgetRequest>>
}
