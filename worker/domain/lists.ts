/** Filters, sort orders and page cursors of lists, in the API and in page URLs. */

/** By what a filter calls them, the rows in the list of transactions: payments, the ends of payouts, and other movements of money. */
export const categoriesOf = {
  payout: ['escrow', 'escrow_withdraw', 'escrow_reclaim'],
  transfer: ['contact', 'address'],
  x402: ['x402'],
  deposit: ['deposit'],
  withdrawal: ['withdrawal'],
} as const
export type TransactionType = keyof typeof categoriesOf
export type TransactionCategory = (typeof categoriesOf)[TransactionType][number]
export const transactionTypes = Object.keys(categoriesOf) as [TransactionType, ...TransactionType[]]
export const transactionCategories: readonly TransactionCategory[] = Object.values(categoriesOf).flat()

/**
 * Whether a filter of transactions lists payments, one row for each, instead of all movements of money, in which a payout has a
 * second row for its end. Then each row counts with its own amount.
 */
export const listsPayments = (filter: { [Name in (typeof ofPayments)[number]]?: unknown }): boolean =>
  ofPayments.some((name) => filter[name] !== undefined)

const ofPayments = ['figure', 'spent', 'recipientOf', 'seller', 'requested', 'answer', 'rules'] as const

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

/** The most rows that a filter searches: the newest of the chosen days. */
export const searchedRows = 10_000

/** The sort orders of both lists; the first is the default. */
export const listSorts = ['newest', 'oldest', 'largest', 'smallest'] as const
/** Those of payouts: also by when they expire. */
export const payoutSorts = [...listSorts, 'soonest', 'latest'] as const
export type ListSort = (typeof payoutSorts)[number]

/** Payouts whose money comes back to the wallet when they expire. */
export const openPayoutStatuses = ['CREATING', 'CREATED'] as const satisfies (typeof payoutStatuses)[number][]

/**
 * Where in a list a page begins or ends: next to the row with this id and key (ms or micro-USDC, depending on the sort).
 * Rows that are added or removed in the meantime do not shift a page that is found by a cursor.
 */
export type ListCursor = { side: 'after' | 'before'; sort: ListSort; key: number; id: string }

export const encodeCursor = ({ side, sort, key, id }: ListCursor): string => encode([side, sort, key, id])

/** Null unless the text is a cursor made by `encodeCursor`. */
export function decodeCursor(text: string): ListCursor | null {
  const [side, sort, key, id, ...rest] = decode(text)
  const isWell = (side === 'after' || side === 'before') && payoutSorts.includes(sort as ListSort) && isRow(key, id)
  return isWell && rest.length === 0 ? ({ side, sort, key, id } as ListCursor) : null
}

/** The last row of a page in a list that has only one order, newest first: its time (ms) and id. */
export type RowCursor = { at: number; id: string }

export const encodeRowCursor = ({ at, id }: RowCursor): string => encode([at, id])

/** Null unless the text is a cursor made by `encodeRowCursor`. */
export function decodeRowCursor(text: string): RowCursor | null {
  const [at, id, ...rest] = decode(text)
  return isRow(at, id) && rest.length === 0 ? ({ at, id } as RowCursor) : null
}

const isRow = (key: unknown, id: unknown) => Number.isSafeInteger(key) && typeof id === 'string' && id.length <= 64

const encode = (parts: (string | number)[]): string =>
  btoa(JSON.stringify(parts)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

function decode(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
