import { and, asc, desc, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { exportPart, exportRun } from './schema.ts'

/**
 * Tables of the daily export in restore order, with their primary keys. `of` is the column with the account's id; a row is
 * restored only if its account exists.
 */
export const exportedTables: readonly { name: string; key: readonly string[]; of?: string }[] = [
  { name: 'user', key: ['id'] },
  { name: 'contact', key: ['id'], of: 'user_id' },
  { name: 'preferences', key: ['user_id'], of: 'user_id' },
  { name: 'signup_passcode', key: ['hash'] },
  { name: 'operator_action', key: ['id'] },
  { name: 'service_stop', key: ['one'] },
  { name: 'webhook_stop', key: ['one'] },
  { name: 'key_version', key: ['name', 'version'] },
  { name: 'oauth_client', key: ['id'] },
]
export type ExportedTable = (typeof exportedTables)[number]

export type ExportedRow = Record<string, string | number | null>
export type ExportRunRow = typeof exportRun.$inferSelect
export type ExportPartRow = typeof exportPart.$inferSelect

/** The newest export, finished or not. */
export const newestRun = async (db: Db): Promise<ExportRunRow | null> =>
  (await db.select().from(exportRun).orderBy(desc(exportRun.id)).limit(1).get()) ?? null

export const newestFinishedRun = async (db: Db): Promise<ExportRunRow | null> =>
  (await db
    .select()
    .from(exportRun)
    .where(isNotNull(exportRun.finishedAt))
    .orderBy(desc(exportRun.id))
    .limit(1)
    .get()) ?? null

/** Start of the newest finished export (ms), or of the oldest one if none is finished. Null if there is no export. */
export async function lastExportAt(db: Db): Promise<number | null> {
  const oldest = db.select().from(exportRun).orderBy(asc(exportRun.id)).limit(1)
  return ((await newestFinishedRun(db)) ?? (await oldest.get()))?.startedAt ?? null
}

export async function insertRun(db: Db, row: ExportRunRow): Promise<void> {
  await db.insert(exportRun).values(row).onConflictDoNothing()
}

export const partsOf = (db: Db, runId: string): Promise<ExportPartRow[]> =>
  db.select().from(exportPart).where(eq(exportPart.runId, runId)).orderBy(asc(exportPart.part))

/** False if another run of the cron has already written this part. */
export async function insertPart(db: Db, row: ExportPartRow): Promise<boolean> {
  return (await db.insert(exportPart).values(row).onConflictDoNothing().returning({ part: exportPart.part })).length > 0
}

export async function finishRun(db: Db, runId: string, now: number): Promise<void> {
  await db.batch([
    db
      .update(exportRun)
      .set({ finishedAt: now })
      .where(and(eq(exportRun.id, runId), isNull(exportRun.finishedAt))),
    db.delete(exportRun).where(and(lt(exportRun.id, runId), isNotNull(exportRun.finishedAt))),
  ])
}

/** Rows after row number `after`, each with its own as `_row`. Unconfirmed accounts are not exported. */
export const rowsAfter = (db: Db, table: ExportedTable, after: number, limit: number): Promise<ExportedRow[]> =>
  db.all<ExportedRow>(
    sql`SELECT rowid AS _row, * FROM ${sql.identifier(table.name)} WHERE rowid > ${after}
        ${table.name === 'user' ? sql`AND status <> 'UNCONFIRMED'` : sql``} ORDER BY rowid LIMIT ${limit}`,
  )

const asJson = (rows: ExportedRow[]) => JSON.stringify(rows)
const field = (name: string) => sql`row.value->>${`$.${name}`}`
const isThere = ({ name, key }: ExportedTable) =>
  sql`EXISTS (SELECT 1 FROM ${sql.identifier(name)} WHERE ${sql.join(
    key.map((column) => sql`${sql.identifier(name)}.${sql.identifier(column)} = ${field(column)}`),
    sql` AND `,
  )})`
const hasAccount = ({ of }: ExportedTable) =>
  of === undefined ? sql`true` : sql`EXISTS (SELECT 1 FROM user WHERE user.id = ${field(of)})`

/** How many of these rows are missing. */
export async function countMissing(db: Db, table: ExportedTable, rows: ExportedRow[]): Promise<number> {
  const found = await db.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM json_each(${asJson(rows)}) AS row WHERE NOT ${isThere(table)} AND ${hasAccount(table)}`,
  )
  return found!.n
}

/** Inserts the missing rows; existing rows stay. Skips columns that the table no longer has. */
export async function restoreRows(db: Db, table: ExportedTable, rows: ExportedRow[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = await db.all<{ name: string }>(sql`SELECT name FROM pragma_table_info(${table.name})`)
  const shared = columns.map(({ name }) => name).filter((name) => Object.hasOwn(first, name))
  const names = sql.join(
    shared.map((name) => sql.identifier(name)),
    sql`, `,
  )
  const values = sql.join(shared.map(field), sql`, `)
  await db.run(
    sql`INSERT INTO ${sql.identifier(table.name)} (${names}) SELECT ${values} FROM json_each(${asJson(rows)}) AS row
        WHERE ${hasAccount(table)} ON CONFLICT DO NOTHING`,
  )
}

const lacksPassword = (rows: ExportedRow[], noPassword: string) =>
  sql`FROM json_each(${asJson(rows)}) AS row WHERE user.id = ${field('id')} AND user.password_hash = ${noPassword}
      AND ${field('password_hash')} <> ${noPassword} AND user.password_at <= ${field('password_at')}`

/** Number of accounts without a password for which `rows` has one that is at least as recent as their last. */
export async function countPasswords(db: Db, rows: ExportedRow[], noPassword: string): Promise<number> {
  const found = await db.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM user WHERE EXISTS (SELECT 1 ${lacksPassword(rows, noPassword)})`,
  )
  return found!.n
}

export async function restorePasswords(db: Db, rows: ExportedRow[], noPassword: string): Promise<void> {
  await db.run(
    sql`UPDATE user SET password_hash = ${field('password_hash')}, password_at = ${field('password_at')}
        ${lacksPassword(rows, noPassword)}`,
  )
}
