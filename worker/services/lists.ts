import type { AccountId } from '#domain/accounts.ts'
import { type Cell, csvLine } from '#domain/csv.ts'
import { type ListCursor, listsPayments } from '#domain/lists.ts'
import { formatUsdc, parseUsdc } from '#domain/money.ts'
import { balanceChange } from '#domain/movements.ts'
import { chainNameOf } from '#domain/networks.ts'
import { noteNames, type PaymentNotes, paymentNotes } from '#domain/paymentNotes.ts'
import { isSpent } from '#domain/statistics.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Delivery, Escrow, EscrowItem } from '#schemas/escrow.ts'
import type { PayoutFilter, TransactionFilter } from '#schemas/lists.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Person } from '../appEnv.ts'
import { primaryChain } from '../chain/networkSettings.ts'
import { type ContactRow, contactsNamed, findContacts } from '../db/contacts.ts'
import type { Db } from '../db/d1.ts'
import { deliveriesOf } from '../db/messages.ts'
import { within } from '../durable/within.ts'
import {
  exportedAtOnce,
  type Paging,
  type PayoutsWanted,
  type Slice,
  type TransactionsWanted,
  type WalletBalance,
  withNames,
} from '../history/api.ts'
import { historyOf } from '../historyOf.ts'
import { logError } from '../observability/log.ts'
import { type Result, unwrap } from '../result.ts'
import { type Columns, csvFile } from './csvFile.ts'

export async function listTransactions(
  person: Person,
  { page, pageSize, cursor, ...filter }: TransactionFilter & Paging,
) {
  const { deps, accountId, callerId } = person
  const paging = { page, pageSize, cursor }
  return unwrap(await historyOf(deps.env, accountId).transactions(callerId, await wanted(person, filter), paging))
}

/** The most contacts whose payments a filter by their common name finds: the newest. */
const maxNamed = 20

/** Finds out what a filter depends on: the primary network, the time, and whom its names mean. */
async function wanted(
  { deps: { env, db, now }, accountId }: Person,
  { contact, recipient, ...filter }: TransactionFilter,
): Promise<TransactionsWanted> {
  const network = filter.network ?? (listsPayments(filter) ? chainNameOf(primaryChain(env)) : undefined)
  const [named, alike] = await Promise.all([
    contact ? findContacts(db, accountId, [contact]) : [],
    recipient ? contactsNamed(db, accountId, recipient, maxNamed) : [],
  ])
  return {
    ...filter,
    network,
    now: now(),
    ...(contact && { contact: { contactIds: [contact], methods: methodsOf(named) } }),
    ...(recipient && {
      recipient: { text: recipient, contactIds: alike.map(({ id }) => id), methods: methodsOf(alike) },
    }),
  }
}

const methodsOf = (contacts: ContactRow[]): string[] =>
  contacts.flatMap(({ address, email, phone }) => [address, email, phone]).filter((one) => one !== null)

export async function listPayouts(
  { deps, accountId, callerId }: Person,
  { page, pageSize, cursor, ...filter }: PayoutFilter & Paging,
) {
  const paging = { page, pageSize, cursor }
  const found = unwrap(await historyOf(deps.env, accountId).payouts(callerId, wantedPayouts(deps, filter), paging))
  return { rows: await withDeliveries(deps.db, found.rows), page: found.page }
}

const wantedPayouts = ({ now }: Person['deps'], { expiresWithinDays, ...filter }: PayoutFilter): PayoutsWanted => ({
  ...filter,
  ...(expiresWithinDays !== undefined && { expiresBefore: now() + expiresWithinDays * dayMs }),
})

export async function getPayout({ deps, treasury }: Person, escrowId: string): Promise<EscrowItem> {
  const [payout] = await withDeliveries(deps.db, [unwrap(await treasury.escrow(escrowId))])
  return payout!
}

/** How long payouts wait for D1, which has the states of their messages. */
const deliveriesMs = 1_000 // 1 second

/** Without D1, the states of the messages are not known. */
async function withDeliveries(db: Db, payouts: Escrow[]): Promise<EscrowItem[]> {
  const ids = payouts.map(({ id }) => id)
  const deliveries = await within(deliveriesMs, () => deliveriesOf(db, ids)).catch((error: unknown) => {
    logError('deliveries_not_read', {}, error)
    return new Map<string, Delivery>()
  })
  return payouts.map((payout) => ({ ...payout, delivery: deliveries.get(payout.id) ?? null }))
}

/** CSV of all matching rows, in list order. Times are UTC; amounts are in USDC and micro-USDC. */
export async function exportTransactions(person: Person, filter: TransactionFilter): Promise<Response> {
  const { deps, accountId, callerId } = person
  const history = historyOf(deps.env, accountId)
  const { from = 0, to = deps.now() + dayMs, wallet, sort: _, ...others } = filter
  // Rows that a filter leaves out would be missing between the two balances.
  const isWhole = Object.values(others).every((value) => value === undefined)
  const balances = isWhole ? unwrap(await history.balances(callerId, from, to)) : []
  const query = await wanted(person, filter)
  const slice = (cursor: ListCursor | null) => history.transactionSlice(callerId, query, cursor)
  const columns = transactionColumns(listsPayments(filter), query.network ?? chainNameOf(primaryChain(deps.env)))
  const shown = balances.filter(({ walletId }) => wallet === undefined || walletId === wallet)
  return csvFile({
    ...{ name: 'bursar-transactions.csv', columns, partRows: exportedAtOnce },
    read: async (cursor: ListCursor | null) => {
      const { rows, next } = await namedRows<Transaction>(slice, cursor)
      return { rows: await withContacts(deps.db, accountId, rows), next }
    },
    lastLines: [
      ...shown.map((one) => balanceLine(columns, 'opening_balance', one, one.opening, from)),
      ...shown.map((one) => balanceLine(columns, 'closing_balance', one, one.closing, Math.min(to, deps.now()))),
    ],
  })
}

const transactionColumns = (isOfPayments: boolean, network: string): Columns<Transaction> => [
  ['Created (UTC)', (row) => row.createdAt],
  ['ID', (row) => row.id],
  ['Type', (row) => row.category],
  ['Status', (row) => row.status],
  ['Amount (USDC)', (row) => row.amountUsdc],
  ['Amount (micro-USDC)', (row) => micro(row.amountUsdc)],
  // By the days of "Confirmed (UTC)", adds up to the figures in Usage: counts a payout once, and no test money.
  ['Spent (USDC)', (row) => (isSpent(row, isOfPayments) && row.fromWalletChain === network ? row.amountUsdc : '0')],
  // With the opening balance, adds up to the closing balance of any wallet and period.
  ['Balance change (USDC)', (row) => ({ decimal: formatUsdc(balanceChange(row)) })],
  ['Sender', senderOf],
  ['From wallet', (row) => row.fromWallet?.address ?? null],
  ['Wallet name', (row) => row.fromWallet?.name ?? null],
  ['Chain', (row) => row.fromWalletChain],
  ['Contact', (row) => row.contact?.name ?? null],
  ['To address', (row) => row.toAddress],
  ['To email', (row) => row.recipientEmail],
  ['To phone', (row) => row.recipientPhone],
  ['Resource', (row) => row.resource],
  ...noteColumns,
  ['Error', (row) => row.errorMessage],
  ['Transaction hash', (row) => row.txHash],
  ['Confirmed (UTC)', (row) => row.timeline.confirmedAt],
  ['Payout ID', (row) => row.escrowId],
  ['Run ID', (row) => row.runId],
]

/** How long a part of an export waits for D1. */
const contactsMs = 2_000 // 2 seconds

/** A payment that was refused because its group does not list the contact has only the contact's id. */
async function withContacts(db: Db, accountId: AccountId, rows: Transaction[]): Promise<Transaction[]> {
  const ids = rows.flatMap(({ contactId, contact }) => (contactId !== null && contact === null ? [contactId] : []))
  const contacts = await within(contactsMs, () => findContacts(db, accountId, [...new Set(ids)])).catch(
    (error: unknown) => {
      logError('contacts_not_read', { user: accountId }, error)
      return []
    },
  )
  const found = new Map(contacts.map(({ id, name }) => [id, { name }]))
  return rows.map((row) => ({ ...row, contact: row.contact ?? found.get(row.contactId ?? '') ?? null }))
}

const senderOf = ({ agent, category, fromAddress }: Transaction): string =>
  agent?.name ?? (category === 'deposit' ? (fromAddress ?? '') : 'User')

/** A line with the balance of a wallet, in the columns of the rows above it. */
function balanceLine(
  columns: Columns<Transaction>,
  type: string,
  { address, name, chain }: WalletBalance,
  balance: string,
  at: number,
): string {
  const cells: Record<string, Cell> = {
    ...(at > 0 && { 'Created (UTC)': isoOf(at) }),
    ...{ Type: type, 'Amount (USDC)': balance, 'Amount (micro-USDC)': micro(balance) },
    ...{ 'From wallet': address, 'Wallet name': name, Chain: chain },
  }
  return csvLine(columns.map(([header]) => cells[header] ?? null))
}

export async function exportPayouts({ deps, accountId, callerId }: Person, filter: PayoutFilter): Promise<Response> {
  const query = wantedPayouts(deps, filter)
  const slice = (cursor: ListCursor | null) => historyOf(deps.env, accountId).payoutSlice(callerId, query, cursor)
  return csvFile({
    ...{ name: 'bursar-payouts.csv', columns: payoutColumns, partRows: exportedAtOnce },
    read: (cursor: ListCursor | null) => namedRows<Escrow>(slice, cursor),
  })
}

const noteColumns = noteNames.map((name): [string, (row: PaymentNotes) => string | null] => [
  paymentNotes[name].label,
  (row) => row[name],
])

const payoutColumns: Columns<Escrow> = [
  ['Created (UTC)', (row) => row.createdAt],
  ['ID', (row) => row.id],
  ['Status', (row) => row.status],
  ['Amount (USDC)', (row) => row.amount],
  ['Amount (micro-USDC)', (row) => micro(row.amount)],
  ['Recipient email', (row) => row.recipientEmail],
  ['Recipient phone', (row) => row.recipientPhone],
  ...noteColumns,
  ['Source wallet', (row) => row.sourceWallet?.address ?? null],
  ['Wallet name', (row) => row.sourceWallet?.name ?? null],
  ['Chain', (row) => row.sourceWallet?.chain ?? null],
  ['Sender', (row) => row.agent?.name ?? 'User'],
  ['Expires (UTC)', (row) => row.expiresAt],
  ['Withdrawn (UTC)', (row) => row.withdrawnAt],
  ['Withdrawn to', (row) => row.withdrawnToAddress],
  ['Funding transaction', (row) => row.fundingTxHash],
  ['Newest transaction', (row) => row.txHash],
]

/** A part of an export, with the present names. */
export async function namedRows<Row extends Transaction | Escrow>(
  readSlice: (cursor: ListCursor | null) => Promise<Result<Slice>>,
  cursor: ListCursor | null,
): Promise<{ rows: Row[]; next: ListCursor | null }> {
  const { rows, names, next } = unwrap(await readSlice(cursor))
  return { rows: (JSON.parse(rows) as Row[]).map((row) => withNames(row, names)), next }
}

const micro = (text: string): string => String(parseUsdc(text) ?? '')
