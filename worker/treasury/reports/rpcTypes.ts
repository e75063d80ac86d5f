import type { RowCursor } from '#domain/lists.ts'

/** All wallets on Base if `walletId` is missing. */
export type SpendingInput = { days: number; by: 'agent' | 'group'; walletId?: string | undefined }

/** `before` is the last event of the previous page; its id is the number in the audit log. */
export type BudgetHistoryInput = { days: number; before?: RowCursor | undefined }
