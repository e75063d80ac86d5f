/** Filters, sort orders and page cursors of lists, in the API and in page URLs. */

export const transactionTypes = ['payout', 'transfer', 'x402', 'deposit', 'withdrawal'] as const

/** The kinds of rows in the list of transactions: payments, the ends of payouts, and money that moved without a payment. */
export const transactionCategories = [
  ...(['contact', 'address', 'x402', 'escrow', 'escrow_withdraw', 'escrow_reclaim'] as const),
  ...(['deposit', 'withdrawal'] as const),
] as const
export type TransactionCategory = (typeof transactionCategories)[number]

/** Figures of the overview, by which the list of transactions can show exactly the payments that a figure counts. */
export const listFigures = ['payments', 'accepted', 'paid', 'completed', 'ended', 'failed_24h'] as const
export type ListFigure = (typeof listFigures)[number]

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
export type ListSort = (typeof listSorts)[number]

/**
 * Where in a list a page begins or ends: next to the row with this id and key (ms or micro-USDC, depending on the sort).
 * Rows that are added or removed in the meantime do not shift a page that is found by a cursor.
 */
export type ListCursor = { side: 'after' | 'before'; sort: ListSort; key: number; id: string }

export const encodeCursor = ({ side, sort, key, id }: ListCursor): string => encode([side, sort, key, id])

/** Null unless the text is a cursor made by `encodeCursor`. */
export function decodeCursor(text: string): ListCursor | null {
  const [side, sort, key, id, ...rest] = decode(text)
  const isWell = (side === 'after' || side === 'before') && listSorts.includes(sort as ListSort) && isRow(key, id)
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
