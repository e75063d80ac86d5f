import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query'
import { type TransactionStatus, type TransactionStatusGroup, transactionStatusGroups } from '#domain/lists.ts'
import type { ApiCalls, PageQuery } from '#schemas/api.ts'
import { api, apiEnvelope } from '../lib/api.ts'
import { apiFile } from '../lib/apiFile.ts'
import { queryClient } from '../lib/queryClient.ts'
import type { Tone } from '../lib/tone.ts'
import { addRow } from './addRow.ts'
import { type Transaction, transactionOf } from './apiWords.ts'
import { categories, type Movement } from './categories.ts'

export type { Movement, Transaction }

const rootKey = ['transactions'] as const
const listKey = [...rootKey, 'list'] as const
const pollMs = 1_500 // 1.5 seconds

export type TransactionParams = NonNullable<ApiCalls['GET /transactions/export']['query']>

async function fetchTransactions(query: TransactionParams & PageQuery, signal: AbortSignal) {
  const { data, page } = await apiEnvelope('GET /transactions/user', { query, signal })
  return { rows: data.map(transactionOf), page }
}

export const transactionsQuery = (params: TransactionParams & PageQuery) =>
  queryOptions({
    queryKey: [...listKey, params] as QueryKey,
    queryFn: ({ signal }) => fetchTransactions(params, signal),
    placeholderData: keepPreviousData,
  })

/** Up to five transactions whose id or hash contains `part`. */
export const transactionSearchQuery = (part: string) =>
  queryOptions({
    queryKey: [...rootKey, 'search', part],
    queryFn: ({ signal }) => fetchTransactions({ page: 1, pageSize: 5, search: part }, signal),
  })

export const exportTransactions = (query: TransactionParams) => apiFile('GET /transactions/export', { query })

export type BooksParams = ApiCalls['GET /transactions/books']['query']
export const exportBooks = (query: BooksParams) => apiFile('GET /transactions/books', { query })

/** Polled until it is final. */
export const transactionQuery = (transactionId: string) =>
  queryOptions({
    queryKey: [...rootKey, 'detail', transactionId],
    queryFn: async ({ signal }) =>
      transactionOf(await api('GET /transactions/:transactionId', { params: { transactionId }, signal })),
    refetchInterval: (query) => (query.state.data && isFinal(query.state.data) ? false : pollMs),
  })

/** Adds an accepted payment to the lists, and its details, from the reply that accepted it. */
export function addTransaction(transaction: Transaction): void {
  addRow(listKey, transaction)
  queryClient.setQueryData(transactionQuery(transaction.id).queryKey, transaction)
}

export const refreshTransactions = () => queryClient.invalidateQueries({ queryKey: rootKey })

type RecipientCheck = { amount: string; walletId: string } & (
  | { toAddress: string }
  | { recipientEmail: string }
  | { recipientPhone: string }
)
/** Facts about a recipient, to show before money moves. Never cached: fetched for every review. */
export const recipientQuery = (body: RecipientCheck) =>
  queryOptions({
    queryKey: [...rootKey, 'recipient', body],
    queryFn: ({ signal }) => api('POST /transactions/recipient-check', { body, signal }),
    staleTime: 0,
    gcTime: 0,
  })

/** Returns the payment's id. */
export async function sendTransaction(
  body: ApiCalls['POST /transactions/send']['body'],
  idempotencyKey: string,
): Promise<string> {
  const { id, transaction } = await api('POST /transactions/send', { body, idempotencyKey })
  addTransaction(transactionOf(transaction))
  refreshMoney()
  return id
}

/** Reads again what an accepted payment changes: lists, balances and figures. */
export function refreshMoney(): void {
  for (const queryKey of [rootKey, ['payouts'], ['wallets'], ['overview']])
    void queryClient.invalidateQueries({ queryKey })
}

const isIn = (group: TransactionStatusGroup, status: TransactionStatus) =>
  (transactionStatusGroups[group] as readonly TransactionStatus[]).includes(status)

/** The statuses as shown to people. */
export const transactionStatusNames = {
  completed: 'Completed',
  failed: 'Failed',
  pending: 'Pending',
} as const satisfies Record<TransactionStatusGroup, string>

/** The status as shown to people. Unknown statuses are shown as Pending. */
export function displayStatus(status: TransactionStatus): { label: 'Completed' | 'Failed' | 'Pending'; tone: Tone } {
  if (isIn('completed', status)) return { label: transactionStatusNames.completed, tone: 'good' }
  if (isIn('failed', status)) return { label: transactionStatusNames.failed, tone: 'bad' }
  return { label: transactionStatusNames.pending, tone: 'waiting' }
}

export const isCompleted = ({ status }: Transaction) => isIn('completed', status)

/** Whether a list that shows it is read again soon. A payment that waits for its owner may wait for days. */
export const isMoving = (transaction: Transaction) => !isFinal(transaction) && !awaitsApproval(transaction)

/** Whether polling can stop. A funded payout counts as final, since it may stay unclaimed for weeks. */
export const isFinal = (transaction: Transaction) =>
  isIn('completed', transaction.status) || isIn('failed', transaction.status) || payoutState(transaction) !== null

/** The state of the payout that this transaction funded; null for any other transaction. */
export function payoutState(transaction: Transaction): 'Awaiting Claim' | 'Funds Reclaimed' | 'Funds Withdrawn' | null {
  if (!categories[transaction.category].isPayout) return null
  if (transaction.status === 'PENDING' && transaction.txHash) return 'Awaiting Claim'
  // Without a hash, it was cancelled before it was funded.
  if (transaction.status === 'CANCELLED' && transaction.txHash) return 'Funds Reclaimed'
  if (transaction.status === 'CONFIRMED') return 'Funds Withdrawn'
  return null
}

/**
 * What a transaction means for the wallet: it paid, its money is held, or money came. An unclaimed payout's money has left
 * the wallet and may come back.
 */
export function movementOf(transaction: Transaction): Movement {
  const { category, status } = transaction
  const { movement } = categories[category]
  if (movement) return movement
  const state = payoutState(transaction)
  if (state === 'Awaiting Claim') return { sign: '−', word: state }
  // The row of the reclaim says that the money came back.
  if (state === 'Funds Reclaimed') return { sign: '−', word: 'Was in payout' }
  if (isIn('completed', status)) return { sign: '−', word: 'Paid' }
  if (isIn('failed', status) || awaitsApproval(transaction)) return { sign: null, word: null }
  return { sign: null, word: 'Held' }
}

/** Whether it waits for its owner's approval. A funded payout is PENDING as well, but has a hash. */
export const awaitsApproval = ({ approvalId, status, txHash }: Transaction) =>
  approvalId !== null && status === 'PENDING' && txHash === null

export const categoryLabel = ({ category }: Transaction): string => categories[category].label

/** Who made a withdrawal that nobody asked Bursar for. */
export const outsideBursar = 'Outside Bursar'

/** Who made the money leave: an agent, the user, or somebody with a key of the wallet and without Bursar. */
export const senderOf = ({
  agent,
  origin,
}: Pick<Transaction, 'agent'> & Partial<Pick<Transaction, 'origin'>>): string =>
  origin === 'transfer' ? outsideBursar : (agent?.name ?? 'User')

/** Words for a deposit without a sender of its own. Null for any other transaction. */
export const collectedDeposit = ({ origin }: Transaction): string | null =>
  origin === 'small' ? 'Deposits below 0.01 USDC' : origin === 'start' ? 'Balance when the wallet was added' : null

/** Whether it came from one address, which can follow the word "from". */
export const hasOneSender = (transaction: Transaction): boolean =>
  transaction.category === 'deposit' && collectedDeposit(transaction) === null

/** What the transaction waits for, the state of its payout or purchase, or why it failed; null if a rule refused it. */
export const noteOf = (transaction: Transaction): string | null =>
  awaitsApproval(transaction)
    ? 'Awaiting approval'
    : (payoutState(transaction) ??
      purchaseState(transaction) ??
      (transaction.refusal ? null : transaction.errorMessage))

/** The state of a purchase that has not ended; null for any other transaction. */
export function purchaseState({ category, status }: Transaction): 'Handed out' | 'Waits for its agent' | null {
  if (!categories[category].isPurchase) return null
  if (status === 'PROCESSING') return 'Handed out'
  return status === 'QUEUED' ? 'Waits for its agent' : null
}
