/** Tests the comparison of worker/db/schema.ts with the migrations in `npm run check` (scripts/checkSchema.ts). */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, expect, test } from 'vitest'
import { schemaDifferences } from '../../scripts/checkSchema.ts'
import * as schema from '../../worker/db/schema.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const folder = mkdtempSync(join(tmpdir(), 'bursar-schema-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('schema.ts describes what the migrations build', async () => {
  expect(await schemaDifferences(schema, migrations)).toEqual([])
})

test('a column, index, default or table that only schema.ts has is reported', async () => {
  const messageFailure = sqliteTable(
    'message_failure',
    {
      channel: text('channel').primaryKey(),
      since: integer('since').notNull(),
      lastAt: integer('last_at').notNull().default(0),
      provider: text('provider'),
    },
    (t) => [index('message_failure_at').on(t.lastAt)],
  )
  const extra = sqliteTable('extra', { id: text('id').primaryKey() })
  expect(await schemaDifferences({ ...schema, messageFailure, extra }, migrations)).toEqual([
    'missing in migrations: extra.id text not null primary key 1',
    'missing in migrations: message_failure index message_failure_at (last_at)',
    'missing in migrations: message_failure.last_at integer not null default 0',
    'missing in migrations: message_failure.provider text',
    'missing in schema.ts: message_failure.last_at integer not null',
  ])
})

test('a column that only a migration has is reported', async () => {
  cpSync(migrations, folder, { recursive: true })
  writeFileSync(join(folder, '9999_nickname.sql'), 'ALTER TABLE contact ADD COLUMN nickname TEXT;')
  expect(await schemaDifferences(schema, folder)).toEqual(['missing in schema.ts: contact.nickname text'])
})

test('a generated column with another expression is reported', async () => {
  const to = mkdtempSync(join(folder, 'generated-'))
  cpSync(migrations, to, { recursive: true })
  writeFileSync(
    join(to, '9999_made.sql'),
    'CREATE TABLE made (id TEXT PRIMARY KEY, name TEXT, key TEXT GENERATED ALWAYS AS (lower( name)) STORED);',
  )
  const made = (key: string) =>
    sqliteTable('made', {
      id: text('id').primaryKey(),
      name: text('name'),
      key: text('key').generatedAlwaysAs(sql.raw(key), { mode: 'stored' }),
    })
  expect(await schemaDifferences({ ...schema, made: made('lower(name)') }, to)).toEqual([])
  expect(await schemaDifferences({ ...schema, made: made('upper(name)') }, to)).toEqual([
    'missing in migrations: made.key text generated as (upper(name))',
    'missing in schema.ts: made.key text generated as (lower(name))',
  ])
})
