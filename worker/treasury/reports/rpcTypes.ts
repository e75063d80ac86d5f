import type { RowCursor } from '#domain/lists.ts'
import type { Overview } from '#schemas/overview.ts'

/** All wallets on Base if `walletId` is missing. */
export type SpendingInput = { days: number; by: 'agent' | 'group'; walletId?: string | undefined }

/** `before` is the last event of the previous page; its id is the number in the audit log. */
export type BudgetHistoryInput = { days: number; before?: RowCursor | undefined }

type FromHistory =
  | ('transactionCount' | 'totalSpent' | 'average' | 'confirmed' | 'failed' | 'successRate' | 'failedToday')
  | ('pendingPayouts' | 'methods' | 'topWallets' | 'recipients')

/** The overview's figures that are not about payments. `wallets`: those on the primary network, oldest first. */
export type AccountFigures = Omit<Overview, FromHistory | 'contactCount' | 'walletCount'> & {
  wallets: { id: string; name: string | null; address: string }[]
  /** Refusals that were deleted after 30 days. */
  prunedRefusals: number
}
