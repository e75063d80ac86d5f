import type { RowCursor } from '#domain/lists.ts'
import type { MicroUsdc } from '#domain/money.ts'
import type { Principal } from '../core/rpcTypes.ts'

/** The signed-in person who decides, for the audit log and the views. `passwordAt`: when they chose their password (ms). */
export type Decider = { userId: string; name: string | null; sessionId: string; passwordAt: number }

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
