import type { Limits } from '#domain/limits.ts'
import type { SuspensionState } from '../../core/storage/meta.ts'

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
