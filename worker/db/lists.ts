import type { Escrow } from '../schemas/escrow.ts'
import type { PayoutFilter, TransactionFilter } from '../schemas/lists.ts'
import type { Transaction, TransactionStatus } from '../schemas/transaction.ts'

/**
 * Pages of the read model (migrations/0002). One user's rows are walked along the index by time; filters look at those
 * rows only. Named queries, so that a test can ask SQLite how it goes about them.
 */

type Reader = Pick<D1DatabaseSession, 'prepare' | 'batch'>
type Condition = { sql: string; values: (string | number)[] }
export type ListQuery = { table: 'transaction_view' | 'payout_view'; conditions: Condition[] }

const condition = (sql: string, ...values: (string | number)[]): Condition => ({ sql, values })

const statuses: Record<'completed' | 'failed' | 'pending', TransactionStatus[]> = {
  completed: ['CONFIRMED'],
  failed: ['POLICY_REJECTED', 'VALIDATION_FAILED', 'FAILED', 'CANCELLED', 'EXPIRED'],
  pending: ['PENDING', 'QUEUED', 'PROCESSING'],
}

export function transactionsOf(userId: string, filter: TransactionFilter): ListQuery {
  const conditions = [condition('user_id = ?', userId), ...ranges(filter)]
  const { type, status, sender, contact, recipient, memo, wallet, search } = filter
  if (type === 'payout') conditions.push(condition("category LIKE 'escrow%'"))
  if (type === 'transfer') conditions.push(condition("category NOT LIKE 'escrow%'"))
  if (status?.length)
    conditions.push(
      oneOf(
        'status',
        status.flatMap((name) => statuses[name]),
      ),
    )
  if (sender === 'user') conditions.push(condition('agent_id IS NULL'))
  else if (sender) conditions.push(condition('agent_id = ?', sender))
  if (contact) conditions.push(condition('contact_id = ?', contact))
  if (wallet) conditions.push(condition('wallet_id = ?', wallet))
  if (recipient)
    conditions.push(contains(recipient, '$.recipientEmail', '$.recipientPhone', '$.toAddress', '$.contact.name'))
  if (memo) conditions.push(contains(memo, '$.memo'))
  if (search) conditions.push(contains(search, '$.id', '$.txHash'))
  return { table: 'transaction_view', conditions }
}

export function payoutsOf(userId: string, filter: PayoutFilter): ListQuery {
  const conditions = [condition('user_id = ?', userId), ...ranges(filter)]
  if (filter.status?.length) conditions.push(oneOf('status', filter.status))
  if (filter.wallets?.length) conditions.push(oneOf("lower(body->>'$.sourceWallet.address')", filter.wallets))
  if (filter.ids) conditions.push(condition('id IN (SELECT value FROM json_each(?))', JSON.stringify(filter.ids)))
  if (filter.recipient) conditions.push(contains(filter.recipient, '$.recipientEmail', '$.recipientPhone'))
  return { table: 'payout_view', conditions }
}

function ranges({ from, to, amountMin, amountMax }: TransactionFilter | PayoutFilter): Condition[] {
  const some = (sql: string, value: number | undefined) => (value === undefined ? [] : [condition(sql, value)])
  return [
    ...some('created_at >= ?', from),
    ...some('created_at < ?', to),
    ...some('amount >= ?', amountMin),
    ...some('amount <= ?', amountMax),
  ]
}

const oneOf = (expression: string, values: string[]) =>
  condition(`${expression} IN (${values.map(() => '?').join(', ')})`, ...values)

/** Anywhere in one of these fields, whatever the case (of ASCII letters, as SQLite knows them). D1's LIKE ends at 50 bytes. */
const contains = (wanted: string, ...paths: string[]): Condition =>
  condition(
    `(${paths.map((path) => `instr(lower(body->>'${path}'), lower(?)) > 0`).join(' OR ')})`,
    ...paths.map(() => wanted),
  )

/** The statement of one page, newest first, and the one that counts. */
export function statementsOf(query: ListQuery, limit: number, offset: number) {
  const where = query.conditions.map(({ sql }) => sql).join(' AND ')
  const values = query.conditions.flatMap((one) => one.values)
  return {
    rows: {
      sql: `SELECT body FROM ${query.table} WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
      values: [...values, limit, offset],
    },
    count: { sql: `SELECT count(*) AS total FROM ${query.table} WHERE ${where}`, values },
  }
}

/** One page with the total: one round trip. */
export async function pageOf<T extends Transaction | Escrow>(
  db: Reader,
  query: ListQuery,
  page: { page: number; pageSize: number },
): Promise<{ rows: T[]; total: number }> {
  const { rows, count } = statementsOf(query, page.pageSize, (page.page - 1) * page.pageSize)
  const [found, counted] = await db.batch<{ body: string; total: number }>([
    db.prepare(rows.sql).bind(...rows.values),
    db.prepare(count.sql).bind(...count.values),
  ])
  return {
    rows: (found?.results ?? []).map((row) => JSON.parse(row.body) as T),
    total: counted?.results[0]?.total ?? 0,
  }
}

/** Rows after the first `offset`, without a count: for exports. */
export async function sliceOf<T extends Transaction | Escrow>(
  db: Reader,
  query: ListQuery,
  limit: number,
  offset: number,
): Promise<T[]> {
  const { rows } = statementsOf(query, limit, offset)
  const { results } = await db
    .prepare(rows.sql)
    .bind(...rows.values)
    .all<{ body: string }>()
  return results.map((row) => JSON.parse(row.body) as T)
}

/** How many payouts of a user wait for their recipients, and their sum in micro-USDC. */
export async function outstanding(db: Reader, userId: string): Promise<{ count: number; amount: number }> {
  const row = await db
    .prepare(
      "SELECT count(*) AS count, coalesce(sum(amount), 0) AS amount FROM payout_view WHERE user_id = ? AND status IN ('CREATING', 'CREATED')",
    )
    .bind(userId)
    .first<{ count: number; amount: number }>()
  return row ?? { count: 0, amount: 0 }
}
