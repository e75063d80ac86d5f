/**
 * Brings the SQLite database of a Durable Object to the newest version. `migrations[n]` leads from version n to n + 1
 * and runs in its own transaction; the table `migration` has one row for each that has run. The list is append-only:
 * a change of the schema is a new entry. `upTo` stops at an older version, so that a test can fill it first.
 *
 * Throws when the database is newer than the list: after a rollback of the Worker, older code must not write to it.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[], upTo = migrations.length): void {
  const { sql } = storage
  sql.exec('CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY)')
  const stored = sql.exec<{ version: number }>('SELECT count(*) AS version FROM migration').one().version
  assertSupported(stored, migrations.length)
  for (let version = stored; version < upTo; version++) {
    storage.transactionSync(() => {
      sql.exec(migrations[version]!)
      sql.exec('INSERT INTO migration (version) VALUES (?)', version)
    })
  }
}

/** A lowest supported version belongs here too, once the oldest entries of a list are dropped. */
function assertSupported(stored: number, highest: number): void {
  if (stored > highest) {
    throw new Error(`the database has schema version ${stored}, but this code supports versions up to ${highest}`)
  }
}
