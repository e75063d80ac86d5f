import { expect, test } from 'vitest'
import { claimDeskMigrations } from '../../worker/claims/migrations.ts'
import type { Migration, Migrations } from '../../worker/durable/migrations.ts'
import { relayerMigrations } from '../../worker/relayer/migrations.ts'
import { treasuryMigrations } from '../../worker/treasury/storage/migrations.ts'
import { webhookSenderMigrations } from '../../worker/webhooks/migrations.ts'

/** `before`: how many of an object's migrations do not say yet which older code may use the database after them. */
const objects: Record<string, { migrations: Migrations; before: number }> = {
  treasury: { migrations: treasuryMigrations, before: 21 },
  relayer: { migrations: relayerMigrations, before: 8 },
  claims: { migrations: claimDeskMigrations, before: 2 },
  webhooks: { migrations: webhookSenderMigrations, before: 1 },
}

/** Statements whose duration grows with the rows of an existing table; they belong in a background job. */
function largeStatements(sql: string): string[] {
  const made = [...sql.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/gi)].map(([, name]) => name!.toLowerCase())
  return sql
    .replaceAll(/--.*$/gm, '')
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
  'each new %s migration says which code may use the database after it, and is quick @schema-8',
  (_, { migrations, before }) => {
    const [old, since] = [migrations.slice(0, before), migrations.slice(before)]
    expect(old.every((migration) => typeof migration === 'string')).toBe(true)
    expect(
      since.filter((migration) => typeof migration === 'string'),
      'use expand or contract',
    ).toEqual([])
    expect((since as Migration[]).flatMap(({ sql }) => largeStatements(sql))).toEqual([])
  },
)

test('largeStatements returns the statements that process every row of an existing table', () => {
  const quick = `
    CREATE TABLE a (x INTEGER); CREATE INDEX a_x ON a (x); -- UPDATE b
    ALTER TABLE b ADD COLUMN y INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE b RENAME COLUMN y TO z; DROP TABLE c;`
  expect(largeStatements(quick)).toEqual([])
  const slow = [
    'CREATE INDEX b_y ON b (y)',
    'UPDATE b SET y = 1',
    'DELETE FROM b',
    'INSERT INTO a SELECT * FROM b',
    'ALTER TABLE b DROP COLUMN y',
    'ALTER TABLE b ADD COLUMN y INTEGER CHECK (y > 0)',
  ]
  expect(largeStatements(`CREATE TABLE a (x); ${slow.join('; ')}`)).toEqual(slow)
})
