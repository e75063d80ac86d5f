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
