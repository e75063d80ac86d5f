/** An account in plain Node: a Treasury, its History and its contacts in memory, behind the services that serve its lists. */
import { drizzle } from 'drizzle-orm/durable-sqlite'
import type { z } from 'zod'
import { microUsdc } from '#domain/money.ts'
import { BooksQuery, PayoutsQuery, TransactionsQuery } from '#schemas/lists.ts'
import type { Person } from '../../worker/appEnv.ts'
import { addressTopic, nonceTopic, topics } from '../../worker/chain/calls.ts'
import type { Address, Hex, Log } from '../../worker/chain/types.ts'
import { type ContactRow, insertContact } from '../../worker/db/contacts.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { agentRequests, paidTo, refusals } from '../../worker/history/answers.ts'
import { exportedAtOnce, type HistoryApi, withNames } from '../../worker/history/api.ts'
import { type ListQuery, payoutsQuery, transactionsQuery } from '../../worker/history/lists.ts'
import { readPage, readSlice } from '../../worker/history/pages.ts'
import { ok } from '../../worker/result.ts'
import { exportBooks } from '../../worker/services/books.ts'
import { exportPayouts, exportTransactions, listPayouts, listTransactions } from '../../worker/services/lists.ts'
import { getOverview } from '../../worker/services/overview.ts'
import type { PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { figures } from '../../worker/treasury/reports/overview.ts'
import { book } from '../../worker/treasury/settlement/booking.ts'
import { createBook } from './book.ts'
import { linesOf } from './csvLines.ts'
import { createMemoryD1 } from './memoryD1.ts'
import { createMemoryHistory } from './memoryHistory.ts'

const noLogs = { announced: [], dust: [] }

export function createMemoryAccount(over: Parameters<typeof createBook>[0] = {}) {
  const treasury = createBook(over)
  const { context, store, clock } = treasury
  const history = createMemoryHistory(treasury)
  const { d1, close } = createMemoryD1()
  const db = primaryDb(d1)
  const userId = context.userId
  void d1
    .prepare(
      "INSERT INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?, 'ada@example.com', 'CONFIRMED', 'none', 1, 1)",
    )
    .bind(userId)
    .run()

  const rows = drizzle(history.storage)
  const page = async <Row extends Parameters<typeof withNames>[0]>(
    query: ListQuery,
    paging: Parameters<typeof readPage>[2],
  ) => {
    const found = await readPage<Row>(rows, query, paging)
    const names = history.rows.names()
    return ok({ ...found, rows: found.rows.map((row) => withNames(row, names)) })
  }
  const slice = async (query: ListQuery, cursor: Parameters<typeof readSlice>[3]) =>
    ok({ ...(await readSlice(rows, query, exportedAtOnce, cursor)), names: history.rows.names() })
  /** What the object of this name answers (history.ts). */
  const api = {
    transactions: async (_, filter, paging) => page(transactionsQuery(filter, history.rows.names()), paging),
    payouts: async (_, filter, paging) => page(payoutsQuery(filter), paging),
    transactionSlice: async (_, filter, cursor) => slice(transactionsQuery(filter, history.rows.names()), cursor),
    payoutSlice: async (_, filter, cursor) => slice(payoutsQuery(filter), cursor),
    balances: async (_, from, to) => ok(history.rows.balances(from, to)),
    paidTo: async (_, wanted) => ok(paidTo(history.rows.all, wanted)),
    agentRequests: async (_, agentId, wanted) => ok(agentRequests(history.rows.all, agentId, wanted)),
    refusals: async (_, wanted) => ok(refusals(history.rows.all, wanted)),
    overview: async (_, chain, now) =>
      ok({
        account: { totalBalance: '0', balanceAsOf: null, ...figures(context) },
        figures: history.rows.figures(chain, now),
      }),
  } satisfies Partial<HistoryApi>
  const env = { ...context.env, HISTORY: { getByName: () => api } }
  const person = {
    deps: { env, db, now: context.now },
    personId: userId,
    accountId: userId,
    loginSessionId: 'ses_test',
  } as unknown as Person

  type Search = Record<string, string>
  const transactionsOf = (search: Search) => TransactionsQuery.parse(search) as z.output<typeof TransactionsQuery>
  const csvOf = async (response: Promise<Response>) => linesOf(await (await response).text())
  /** The lists and files that these parameters of a URL select. All rows, up to 100 on a page. */
  const lists = {
    transactions: (search: Search) => listTransactions(person, transactionsOf({ ...search, pageSize: '100' })),
    transactionsCsv: (search: Search) => csvOf(exportTransactions(person, transactionsOf(search))),
    payouts: (search: Search) => listPayouts(person, PayoutsQuery.parse({ ...search, pageSize: '100' })),
    payoutsCsv: (search: Search) => csvOf(exportPayouts(person, PayoutsQuery.parse(search))),
    books: async (search: Search) => (await exportBooks(person, BooksQuery.parse(search))).text(),
    overview: () => getOverview(person),
  }

  const addContact = async (contact: Pick<ContactRow, 'id' | 'name'> & Partial<ContactRow>) => {
    const row = { address: null, email: null, phone: null, description: null, userId, deletedAt: null, ...contact }
    await insertContact(db, { changedBy: null, createdAt: clock.now, updatedAt: clock.now, ...row }, 1_000)
  }

  let blocks = 0
  const logOf = (own: Partial<Log>): Log => ({
    address: context.chains[8453].usdc,
    topics: [],
    data: '0x',
    blockNumber: blocks,
    blockHash: hash(blocks),
    transactionHash: hash(1_000_000 + blocks),
    logIndex: 1,
    ...own,
  })
  const transferOf = (from: Address, to: Address, amount: bigint) =>
    logOf({ topics: [topics.transfer, addressTopic(from), addressTopic(to)], data: `0x${amount.toString(16)}` })
  /** Books a transfer in a block of its own, after the log of the nonce that was signed for it, if any. */
  function bookTransfer(
    walletId: string,
    transfer: [from: Address, to: Address, amount: bigint],
    nonce?: Partial<Log>,
  ) {
    blocks += 1
    const own = nonce ? [logOf({ ...nonce, logIndex: 0 })] : []
    const transfers = [transferOf(...transfer)]
    store.transaction(() => book(context, store.wallet(walletId)!, { ...noLogs, own, transfers }))
  }
  let sequences = 0
  /** Signs a queued payment, as far as the books are concerned, and returns the log of its nonce. */
  function signed({ id, kind, wallet_id, status }: PaymentRow): Partial<Log> {
    const known = store.payment(id)!
    const wallet = store.wallet(wallet_id)!
    if (status === 'QUEUED') {
      sequences += 1
      const nonce = kind === 'x402' ? { authorization: hash(sequences), epoch: null } : { sequence: sequences }
      store.update('payment', id, { ...nonce, status: 'PROCESSING', sig_version: 1, signed_at: clock.now })
    }
    const { authorization, epoch, sequence } = { ...known, ...store.payment(id)! }
    return authorization
      ? { topics: [topics.authorizationUsed, addressTopic(wallet.address as Address), authorization] }
      : { address: wallet.address as Address, topics: [nonceTopic((BigInt(epoch!) << 32n) | BigInt(sequence!))] }
  }
  /** The payment's transfer is on chain: a send or purchase is confirmed, a payout funded. */
  function confirm(id: string) {
    const payment = store.payment(id)!
    const { address } = store.wallet(payment.wallet_id)!
    const transfer = [address as Address, payment.to_address as Address, BigInt(payment.amount)] as const
    bookTransfer(payment.wallet_id, [...transfer], signed(payment))
  }
  /** The payout's money moved: to its payer, or to somebody else. */
  function endPayout(id: string, to: Address) {
    const payout = store.payout(id)!
    bookTransfer(payout.wallet_id, [payout.address as Address, to, BigInt(payout.amount)])
  }
  const closeAll = () => {
    treasury.close()
    history.close()
    close()
  }
  return { ...treasury, history, lists, addContact, bookTransfer, confirm, endPayout, person, close: closeAll }
}
export type MemoryAccount = ReturnType<typeof createMemoryAccount>

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`

export const sumOf = (lines: Record<string, string>[], column: string) =>
  lines.reduce((sum, line) => sum + microUsdc(BigInt(Math.round(Number(line[column] || 0) * 1_000_000))), 0n)
