/** Filters and sort orders of the transaction and payout lists, in the API and in page URLs. */

export const transactionTypes = ['payout', 'transfer'] as const

/** The statuses of a transaction, grouped as lists show them. */
export const transactionStatusGroups = {
  completed: ['CONFIRMED'],
  failed: ['POLICY_REJECTED', 'VALIDATION_FAILED', 'FAILED', 'CANCELLED', 'EXPIRED'],
  pending: ['PENDING', 'QUEUED', 'PROCESSING'],
} as const
export const transactionStatuses = [
  'completed',
  'failed',
  'pending',
] as const satisfies readonly TransactionStatusGroup[]
export type TransactionStatusGroup = keyof typeof transactionStatusGroups
export type TransactionStatus = (typeof transactionStatusGroups)[TransactionStatusGroup][number]

export const payoutStatuses = ['CREATING', 'CREATED', 'WITHDRAWN', 'RECLAIMED', 'FAILED'] as const

/** The sort orders of both lists; the first is the default. */
export const listSorts = ['newest', 'oldest', 'largest', 'smallest'] as const
export type ListSort = (typeof listSorts)[number]
