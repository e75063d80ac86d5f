/** A schema change. The one at index n of the list leads from version n to version n + 1. */
export type Migration = {
  sql: string
  /** Code that knows fewer versions than this must not use the database after it; 0: any code may. */
  oldestCode: number
  /** The background job that starts after it (`MigrationJob`). */
  job?: string
  /** The migration waits until this job has ended. */
  after?: string
}

/** Append-only once it was deployed. */
export type Migrations = readonly Migration[]

/** The first entry: creates all tables. */
export const newSchema = (sql: string): Migration => ({ sql, oldestCode: 1 })

/** Adds what older code neither sees nor needs, so that it may continue to write. */
export const expand = (sql: string, job?: string): Migration => ({ sql, oldestCode: 0, ...(job && { job }) })

/** Removes or changes what is used by code that knows fewer than `oldestCode` versions. */
export const contract = (sql: string, { oldestCode, after }: { oldestCode: number; after?: string }): Migration => ({
  sql,
  oldestCode,
  ...(after && { after }),
})

/** The error's text reaches callers of an object; its class and properties do not. */
const marker = 'schema_not_usable'

/** The database and this code do not fit together; nothing was read or written. */
export class SchemaNotUsable extends Error {
  override name = 'SchemaNotUsable'
  readonly detail: string
  constructor(detail: string) {
    super(`${marker}: ${detail}`)
    this.detail = detail
  }
}

/** Also true for an error that came from another object. */
export const isSchemaNotUsable = (error: unknown): boolean => error instanceof Error && error.message.includes(marker)

/**
 * Brings the SQLite database of a Durable Object to the newest version, or to the one at which a migration waits for a
 * background job. Each migration runs in its own transaction, and the table `migration` has a row for each that has run.
 * `upTo` stops at an older version, so that a test can fill it first. Returns the version.
 *
 * Throws SchemaNotUsable if the database is newer than the list and one of the newer migrations excludes this code.
 */
export function migrate(storage: DurableObjectStorage, migrations: Migrations, upTo = migrations.length): number {
  const { sql } = storage
  sql.exec('CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY)')
  const stored = sql.exec<{ version: number }>('SELECT count(*) AS version FROM migration').one().version
  if (stored > migrations.length) openNewer(storage, stored, migrations.length)
  for (let version = stored; version < upTo; version++) {
    const migration = migrations[version]!
    if (migration.after && isUnfinished(sql, migration.after)) return version
    storage.transactionSync(() => apply(sql, version, migration, stored === 0))
  }
  return Math.max(stored, upTo)
}

/** `isNew`: the database is being created, so that there is nothing for a job to do. */
function apply(sql: SqlStorage, version: number, migration: Migration, isNew: boolean): void {
  // oldest_code: the highest one of all migrations that have run.
  sql.exec(`
    CREATE TABLE IF NOT EXISTS migration_rule (one INTEGER PRIMARY KEY CHECK (one = 1), oldest_code INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS migration_job (
      name TEXT PRIMARY KEY, version INTEGER NOT NULL, cursor TEXT, ended INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID`)
  sql.exec(migration.sql)
  sql.exec('INSERT INTO migration (version) VALUES (?)', version)
  sql.exec(
    `INSERT INTO migration_rule (one, oldest_code) VALUES (1, ?)
     ON CONFLICT (one) DO UPDATE SET oldest_code = max(oldest_code, excluded.oldest_code)`,
    migration.oldestCode,
  )
  if (migration.job) {
    const [name, ended] = [migration.job, isNew ? 1 : 0]
    sql.exec('INSERT INTO migration_job (name, version, ended) VALUES (?, ?, ?)', name, version + 1, ended)
  }
}

/**
 * Opens a database that is newer than this code. Rows that this code writes lack what newer jobs fill in, so those jobs
 * run again once newer code is back. Throws SchemaNotUsable.
 */
function openNewer(storage: DurableObjectStorage, stored: number, highest: number): void {
  const { sql } = storage
  const { oldest: oldestCode } = sql.exec<{ oldest: number }>('SELECT oldest_code AS oldest FROM migration_rule').one()
  if (oldestCode > highest)
    throw new SchemaNotUsable(
      `the database has schema version ${stored} and needs code of version ${oldestCode}; this code supports versions up to ${highest}`,
    )
  sql.exec('UPDATE migration_job SET cursor = NULL, ended = 0 WHERE version > ?', highest)
}

function isUnfinished(sql: SqlStorage, job: string): boolean {
  const row = sql.exec<{ ended: number }>('SELECT ended FROM migration_job WHERE name = ?', job).toArray()[0]
  if (!row) throw new Error(`no migration before starts the job ${job}`)
  return row.ended === 0
}

/**
 * One step of a change that is too large for the constructor. Reads and writes a bounded number of rows after `cursor`
 * (null: from the start) and returns the next cursor, or null at the end. The step and its cursor are stored together, so
 * a crash repeats it as a whole. It may encounter rows that are done already, and the whole job may run again.
 */
export type MigrationJob = (sql: SqlStorage, cursor: string | null) => string | null

/** Jobs by name. A job stays here as long as the migration that starts it. */
export type MigrationJobs = Readonly<Record<string, MigrationJob>>

/** Runs one step of the oldest job that has not ended. Returns whether more is left. */
export function runJobStep(storage: DurableObjectStorage, jobs: MigrationJobs): boolean {
  const [next, ...others] = storage.sql
    .exec<{ name: string; cursor: string | null }>(
      'SELECT name, cursor FROM migration_job WHERE ended = 0 ORDER BY version, name LIMIT 2',
    )
    .toArray()
  if (!next) return false
  const job = jobs[next.name]
  if (!job) throw new Error(`the schema has no job ${next.name}`)
  return storage.transactionSync(() => {
    const cursor = job(storage.sql, next.cursor)
    const ended = cursor === null ? 1 : 0
    storage.sql.exec('UPDATE migration_job SET cursor = ?, ended = ? WHERE name = ?', cursor, ended, next.name)
    return ended === 0 || others.length > 0
  })
}
