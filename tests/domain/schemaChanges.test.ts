import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { claimDeskMigrations } from '../../worker/claims/migrations.ts'
import { claimDeskTables } from '../../worker/claims/tables.ts'
import { type Migrations, migrate } from '../../worker/durable/migrations.ts'
import { sqlOf, type Table } from '../../worker/durable/table.ts'
import { historyMigrations } from '../../worker/history/migrations.ts'
import { historyTables } from '../../worker/history/tables.ts'
import { relayerMigrations } from '../../worker/relayer/migrations.ts'
import { relayerTables } from '../../worker/relayer/tables.ts'
import { treasuryMigrations } from '../../worker/treasury/core/storage/migrations.ts'
import { treasuryTables } from '../../worker/treasury/core/storage/tables.ts'
import { watchMigrations } from '../../worker/watch/migrations.ts'
import { watchTables } from '../../worker/watch/tables.ts'
import { webhookSenderMigrations } from '../../worker/webhooks/migrations.ts'
import { webhookSenderTables } from '../../worker/webhooks/tables.ts'
import { storageOf } from '../support/memoryTreasury.ts'

const objects: Record<string, Migrations> = {
  treasury: treasuryMigrations,
  relayer: relayerMigrations,
  claims: claimDeskMigrations,
  webhooks: webhookSenderMigrations,
  history: historyMigrations,
  watch: watchMigrations,
}

/** Statements whose duration grows with the rows of an existing table; they belong in a background job. */
function largeStatements(sql: string): string[] {
  const made = [...sql.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/gi)].map(([, name]) => name!.toLowerCase())
  /** Without what triggers do, which they do later. */
  const now = sql.replaceAll(/--.*$/gm, '').replaceAll(/\bBEGIN\b[^;]*;.*?\bEND;/gis, ';')
  return now
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => {
      const [, onTable] = /^CREATE (?:UNIQUE )?INDEX .* ON (\w+)/is.exec(statement) ?? []
      if (onTable) return !made.includes(onTable.toLowerCase())
      if (/^(CREATE (TABLE|TRIGGER)|DROP (TABLE|INDEX|TRIGGER)|END\b)/i.test(statement)) return false
      // DROP COLUMN rewrites the whole table, and a CHECK reads it.
      if (/^ALTER TABLE/i.test(statement)) return /\bDROP COLUMN\b|\bCHECK\b/i.test(statement)
      return statement !== ''
    })
}

test.each(Object.entries(objects))(
  'each %s migration after the first, which creates the tables, is quick @schema-8',
  (_, [first, ...later]) => {
    expect(largeStatements(first!.sql)).toEqual([])
    expect(later.flatMap(({ sql }) => largeStatements(sql))).toEqual([])
  },
)

const tables: Record<string, readonly Table[]> = {
  treasury: treasuryTables,
  relayer: relayerTables,
  claims: claimDeskTables,
  webhooks: webhookSenderTables,
  history: historyTables,
  watch: watchTables,
}
/** Of migrations.ts, and of SQLite. */
const others = /^(migration|sqlite_)/

test.each(Object.entries(tables))('the tables of %s are those that its migrations make', (object, list) => {
  const [expected, migrated] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')]
  expected.exec(sqlOf(list))
  migrate(storageOf(migrated), objects[object]!)
  const rowsOf = (db: DatabaseSync, query: string) => db.prepare(query).all()
  for (const { name } of list)
    for (const query of [
      `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo('${name}') ORDER BY name`,
      `SELECT type, name FROM sqlite_schema WHERE tbl_name = '${name}' ORDER BY name`,
    ])
      expect(rowsOf(migrated, query), name).toEqual(rowsOf(expected, query))
  const names = rowsOf(migrated, "SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => `${name}`)
  expect(names.filter((name) => !others.test(name)).sort()).toEqual(list.map(({ name }) => name).sort())
})

test('largeStatements returns the statements that process every row of an existing table', () => {
  const quick = `
    CREATE TABLE a (x INTEGER); CREATE INDEX a_x ON a (x); -- UPDATE b
    ALTER TABLE b ADD COLUMN y INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE b RENAME COLUMN y TO z; DROP TABLE c;
    CREATE TRIGGER t AFTER UPDATE ON b BEGIN DELETE FROM a; UPDATE a SET x = CASE x WHEN 1 THEN 2 END WHERE x; END;`
  expect(largeStatements(quick)).toEqual([])
  const slow = [
    'CREATE INDEX b_y ON b (y)',
    'UPDATE b SET y = 1',
    'DELETE FROM b',
    'INSERT INTO a SELECT * FROM b',
    'ALTER TABLE b DROP COLUMN y',
    'ALTER TABLE b ADD COLUMN y INTEGER CHECK (y > 0)',
    'DELETE FROM c',
  ]
  const trigger = 'CREATE TRIGGER t AFTER DELETE ON b BEGIN DELETE FROM a; END'
  expect(largeStatements(`CREATE TABLE a (x); ${trigger}; ${slow.join('; ')}`)).toEqual(slow)
})
