import type { Limits } from '#domain/limits.ts'
import type { PayoutStatus } from '#domain/payment.ts'
import type { Result } from '../../result.ts'

/** The calls of operators for one account; part of TreasuryApi. None of them moves money. */

/** `since` is in ms, null if the account is not suspended. `version` rises with each change. */
export type SuspensionState = { since: number | null; version: number }

/** Limits that an operator has set for this account. */
export type UserLimits = Partial<Limits>

/** Work that makes no progress, and why. `since` is in ms. */
export type StuckWork = {
  kind: 'wallet' | 'payment' | 'payout' | 'walletAction' | 'outbox'
  id: string
  status: string
  since: number
  why: string
}

export type AccountReport = {
  suspension: SuspensionState
  agentsPaused: boolean
  limits: UserLimits
  /** Gas units of today (UTC). */
  gas: { limit: number; used: number }
  counts: { wallets: number; agents: number; openPayments: number; openPayouts: number }
  stuck: StuckWork[]
}

/** One row of the account's audit log. `at` in ms. */
export type AuditEntry = { seq: number; at: number; event: string; ref: string; data: Record<string, unknown> }

export interface OperatorCalls {
  suspend(isSuspended: boolean): Promise<SuspensionState & { stoppedPayments: number }>
  /** Missing limits stay as they are; null resets one to the deployment's. Applies from the next call on. */
  setLimits(change: { [Name in keyof Limits]?: number | null }): Promise<UserLimits>
  report(): Promise<AccountReport>
  /** Does work that waits for an alarm immediately, and re-arms a lost alarm. */
  wakeForOperator(): Promise<void>
  /** Takes the payout's claim link down, or restores it. The sender can take the payout back in either case. */
  setLinkDown(payoutId: string, isDown: boolean): Promise<Result<{ status: PayoutStatus; isDown: boolean }>>
  /** At most 100 rows that are older than the row `before`, newest first. */
  readAudit(before: number | null): Promise<AuditEntry[]>
}
