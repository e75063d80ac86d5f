import type { Limits } from '#domain/limits.ts'
import type { PayoutStatus } from '#domain/payment.ts'
import type { Result } from '../../result.ts'

/** What operators may do with one account; part of TreasuryApi. Nothing here moves money. */

/** `since` in ms, null: not suspended. `version` rises with each change. */
export type SuspensionState = { since: number | null; version: number }

/** Limits that an operator has set for this account. */
export type UserLimits = Partial<Limits>

/** Work that does not move, and why. `since` in ms. */
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
  /** What is absent stays; null: the deployment's limit again. In force from the next call on. */
  setLimits(change: { [Name in keyof Limits]?: number | null }): Promise<UserLimits>
  report(): Promise<AccountReport>
  /** Does at once what waits for an alarm, and sets a lost alarm again. */
  wakeForOperator(): Promise<void>
  /** The payout can no longer be claimed by its link, or can again. Its sender can still take it back. */
  setLinkDown(payoutId: string, isDown: boolean): Promise<Result<{ status: PayoutStatus; isDown: boolean }>>
  /** At most 100 rows, newest first; `before`: older than this row. */
  readAudit(before: number | null): Promise<AuditEntry[]>
}
