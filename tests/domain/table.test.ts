import { DatabaseSync } from 'node:sqlite'
import { expect, expectTypeOf, test } from 'vitest'
import type { Hex } from '../../worker/chain/types.ts'
import {
  type ColumnsIn,
  insert,
  integer,
  maybeInteger,
  maybeOneOf,
  maybeText,
  type NewRow,
  nullColumns,
  oneOf,
  type RowOf,
  replace,
  rowid,
  table,
  text,
  update,
} from '../../worker/durable/table.ts'
import { storageOf } from '../support/memoryTreasury.ts'

const parcel = table(
  'parcel',
  {
    id: text('PRIMARY KEY'),
    hash: text<Hex, string>('UNIQUE'),
    chain_id: integer<1 | 2>(),
    state: oneOf(['open', 'sent'], "DEFAULT 'open'"),
    held: integer('DEFAULT 0 CHECK (held >= 0)'),
    by: maybeOneOf(['us', 'them']),
    at: maybeInteger(),
    note: maybeText(),
  },
  { constraints: 'CHECK (by IS NULL OR at IS NOT NULL)', indexes: 'CREATE INDEX parcel_at ON parcel (at);' },
)
const stop = table(
  'stop',
  { parcel: text(), place: integer() },
  { constraints: 'PRIMARY KEY (parcel, place)', isWithoutRowid: true },
)
const visit = table('visit', { seq: rowid('AUTOINCREMENT'), name: text() })

/** As one would write it by hand. */
const byHand = `
  CREATE TABLE parcel (
    id TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL UNIQUE, chain_id INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open','sent')),
    held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    by TEXT CHECK (by IN ('us','them')), at INTEGER, note TEXT, CHECK (by IS NULL OR at IS NOT NULL)
  );
  CREATE INDEX parcel_at ON parcel (at);
  CREATE TABLE stop (parcel TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (parcel, place)) WITHOUT ROWID;
  CREATE TABLE visit (seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL);`

function database(schema = parcel.sql + stop.sql + visit.sql) {
  const db = new DatabaseSync(':memory:')
  db.exec(schema)
  return { db, sql: storageOf(db).sql }
}

test('a table has the columns, indexes and constraints of its SQL written by hand', () => {
  const [made, expected] = [database().db, database(byHand).db]
  for (const name of ['parcel', 'stop', 'visit'])
    for (const pragma of ['table_list', 'table_xinfo', 'index_list']) {
      const query = `SELECT * FROM pragma_${pragma}('${name}')`
      expect(made.prepare(query).all(), `${pragma} of ${name}`).toEqual(expected.prepare(query).all())
    }
})

test('the type of a row follows from the columns, and a new row may leave out what may be null or has a default', () => {
  type Row = {
    id: string
    hash: Hex
    chain_id: 1 | 2
    state: 'open' | 'sent'
    held: number
    by: 'us' | 'them' | null
    at: number | null
    note: string | null
  }
  expectTypeOf<RowOf<typeof parcel>>().toEqualTypeOf<Row>()
  type Filled = 'state' | 'held' | 'by' | 'at' | 'note'
  expectTypeOf<NewRow<typeof parcel>>().toEqualTypeOf<Omit<Row, Filled> & Partial<Pick<Row, Filled>>>()
  expectTypeOf<RowOf<typeof visit>>().toEqualTypeOf<{ seq: number; name: string }>()
  expectTypeOf<NewRow<typeof visit>>().toEqualTypeOf<{ name: string } & { seq?: number }>()
})

test('a row of some columns takes their names from the query', () => {
  type Row = RowOf<typeof parcel>
  expectTypeOf<Pick<Row, ColumnsIn<'id, chain_id, at'>>>().toEqualTypeOf<Pick<Row, 'id' | 'chain_id' | 'at'>>()
})

test('nullColumns has the columns that may be null', () => {
  const columns = nullColumns(parcel)
  expect(columns).toEqual({ by: null, at: null, note: null })
  expectTypeOf(columns).toEqualTypeOf<{ by: null; at: null; note: null }>()
})

test('insert, replace and update write columns by their names', () => {
  const { sql } = database()
  const rows = () => sql.exec<RowOf<typeof parcel>>('SELECT * FROM parcel ORDER BY id').toArray()
  const a = { id: 'a', hash: '0xaa', chain_id: 1 } as const
  insert(sql, parcel, { note: 'fragile', ...a })
  const stored = { ...a, state: 'open', held: 0, by: null, at: null, note: 'fragile' }
  expect(rows()).toEqual([stored])

  expect(() => insert(sql, parcel, a)).toThrow(/UNIQUE/)
  insert(sql, parcel, { ...a, chain_id: 2 }, 'ON CONFLICT DO NOTHING')
  expect(rows()).toEqual([stored])
  insert(sql, parcel, { ...a, held: 5 }, 'ON CONFLICT (id) DO UPDATE SET held = excluded.held')
  expect(rows()).toEqual([{ ...stored, held: 5 }])

  replace(sql, parcel, { ...a, note: 'fragile' })
  expect(rows()).toEqual([stored])
  insert(sql, parcel, { id: 'b', hash: '0xbb', chain_id: 2, by: 'us', at: 7 })
  update(sql, parcel, { by: null, state: 'open' }, { state: 'sent', note: null })
  expect(rows()).toEqual([
    { ...stored, state: 'sent', note: null },
    { id: 'b', hash: '0xbb', chain_id: 2, state: 'open', held: 0, by: 'us', at: 7, note: null },
  ])
})

test.each([
  ['a null key', { id: null as unknown as string }, /NOT NULL/],
  ['a value that is not in the list', { state: 'lost' as 'open' }, /CHECK/],
  ['a value outside a range', { held: -1 }, /CHECK/],
])('a table refuses %s', (_, wrong, error) => {
  const { sql } = database()
  expect(() => insert(sql, parcel, { id: 'a', hash: '0xaa', chain_id: 1, ...wrong })).toThrow(error)
})
