import { sql } from 'drizzle-orm'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Db } from './d1.ts'
import { payoutView, transactionView } from './schema.ts'

/** A row as the API returns it, with its amount in micro-USDC. `kept` is the data to restore its Treasury from. */
export type ListRow<Row> = { row: Row; amount: number; kept?: string | null }

/** Writes rows of the lists. A lower `seq` never replaces a higher one. `gone` has the ids of rows to delete. */
export async function projectLists(
  db: Db,
  userId: string,
  seq: number,
  rows: { transactions: ListRow<Transaction>[]; payouts: ListRow<Escrow>[]; gone?: string[] },
): Promise<void> {
  const upserts = [
    ...(rows.gone?.length ? [deleteTransactions(db, userId, seq, rows.gone)] : []),
    ...(rows.transactions.length > 0 ? [upsertTransactions(db, userId, seq, rows.transactions)] : []),
    ...(rows.payouts.length > 0 ? [upsertPayouts(db, userId, seq, rows.payouts)] : []),
  ]
  const [first, ...rest] = upserts
  if (first) await db.batch([first, ...rest])
}

// All rows travel as one JSON parameter, because D1 allows 100 parameters per statement: `INSERT … SELECT … FROM json_each`.
// The selected values are in the order of the columns in schema.ts. `WHERE true` keeps ON CONFLICT from being read as a join.

export function upsertTransactions(db: Db, userId: string, seq: number, rows: ListRow<Transaction>[]) {
  return db
    .insert(transactionView)
    .select(
      sql`SELECT value->>'$.row.id', ${userId}, ${seq}, value->>'$.at', value->>'$.row.status', value->>'$.row.category',
            value->>'$.amount', value->>'$.row.fromWalletId', value->>'$.row.fromWalletChain', value->>'$.row.agentId',
            value->>'$.row.contactId', value->>'$.row.escrowId', value->'$.row', value->>'$.kept'
          FROM json_each(${asJson(rows)}) WHERE true`,
    )
    .onConflictDoUpdate({
      target: transactionView.id,
      set: newer,
      setWhere: sql`excluded.seq > ${transactionView.seq}`,
    })
}

export function upsertPayouts(db: Db, userId: string, seq: number, rows: ListRow<Escrow>[]) {
  return db
    .insert(payoutView)
    .select(
      sql`SELECT value->>'$.row.id', ${userId}, ${seq}, value->>'$.at', value->>'$.row.status', value->>'$.amount',
            coalesce(value->>'$.row.sourceWallet.id', ''), value->'$.row', value->>'$.kept'
          FROM json_each(${asJson(rows)}) WHERE true`,
    )
    .onConflictDoUpdate({ target: payoutView.id, set: newer, setWhere: sql`excluded.seq > ${payoutView.seq}` })
}

const deleteTransactions = (db: Db, userId: string, seq: number, ids: string[]) =>
  db.delete(transactionView).where(
    sql`${transactionView.userId} = ${userId} AND ${transactionView.seq} < ${seq}
          AND ${transactionView.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  )

/** The columns of a row that can change. A payment that the owner approves moves to the time of its acceptance. */
const newer = {
  createdAt: sql`excluded.created_at`,
  seq: sql`excluded.seq`,
  status: sql`excluded.status`,
  body: sql`excluded.body`,
  kept: sql`excluded.kept`,
}

const asJson = (rows: ListRow<{ createdAt: string }>[]) =>
  JSON.stringify(rows.map((row) => ({ ...row, at: Date.parse(row.row.createdAt) })))

/** How many of these rows are missing from the lists or differ there. */
export async function countDiffering(
  db: Db,
  rows: { transactions: ListRow<Transaction>[]; payouts: ListRow<Escrow>[] },
): Promise<{ transactions: number; payouts: number }> {
  const count = async (view: typeof transactionView | typeof payoutView, wanted: ListRow<{ createdAt: string }>[]) =>
    (await db.get<{ n: number }>(
      sql`SELECT count(*) AS n FROM json_each(${asJson(wanted)}) AS wanted
          LEFT JOIN ${view} ON ${view.id} = wanted.value->>'$.row.id' WHERE ${view.body} IS NOT wanted.value->'$.row'
            OR ${view.kept} IS NOT wanted.value->>'$.kept'`,
    ))!.n
  const [transactions, payouts] = await Promise.all([
    count(transactionView, rows.transactions),
    count(payoutView, rows.payouts),
  ])
  return { transactions, payouts }
}
