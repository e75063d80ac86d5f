import { readFileSync } from 'node:fs'
import { parseSync, type TsType } from '@swc/core'
import { expect, test } from 'vitest'
import { filterNames, noteNames } from '#domain/paymentNotes.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

/** Each column, and whether it may be null. */
type Columns = Record<string, 'null' | 'not null'>

const body = ['rows', 'connectionRows', 'purchaseRows', 'tableRows'].flatMap(
  (name) => parseSync(readFileSync(`worker/treasury/storage/${name}.ts`, 'utf8'), { syntax: 'typescript' }).body,
)
const types = new Map<string, TsType>()
for (const item of body)
  if (item.type === 'ExportDeclaration' && item.declaration.type === 'TsTypeAliasDeclaration')
    types.set(item.declaration.id.value, item.declaration.typeAnnotation)

function columnsOf(type: TsType): Columns {
  if (type.type === 'TsIntersectionType') return Object.assign({}, ...type.types.map(columnsOf))
  if (type.type === 'TsTypeReference' && type.typeName.type === 'Identifier') {
    const name = type.typeName.value
    if (name === 'PaymentNotes') return Object.fromEntries(noteNames.map((note) => [note, 'null']))
    return columnsOf(types.get(name)!)
  }
  if (type.type !== 'TsTypeLiteral') throw new Error(`not the type of a row: ${type.type}`)
  return Object.fromEntries(
    type.members.map((member) => {
      if (member.type !== 'TsPropertySignature' || member.key.type !== 'Identifier') throw new Error(member.type)
      return [member.key.value, mayBeNull(member.typeAnnotation!.typeAnnotation) ? 'null' : 'not null']
    }),
  )
}

const mayBeNull = (type: TsType): boolean =>
  type.type === 'TsUnionType' ? type.types.some(mayBeNull) : type.type === 'TsKeywordType' && type.kind === 'null'

const rows = types.get('Rows')!
if (rows.type !== 'TsTypeLiteral') throw new Error('Rows is not a list of tables')
const tables = rows.members.map((member) => {
  if (member.type !== 'TsPropertySignature' || member.key.type !== 'Identifier') throw new Error(member.type)
  return [member.key.value, columnsOf(member.typeAnnotation!.typeAnnotation)] as const
})

test.each(tables)('the type of a row of %s has the columns of its table', (table, columns) => {
  const { store, close } = createMemoryTreasury(1n, 1n)
  const stored = store.all<{ name: string; notnull: number; pk: number }>(`SELECT * FROM pragma_table_info('${table}')`)
  close()
  expect(columns).toEqual(
    Object.fromEntries(stored.map(({ name, notnull, pk }) => [name, notnull || pk ? 'not null' : 'null'])),
  )
})

test.each(filterNames)('lists of payments find %s by an index', (name) => {
  const { store, close } = createMemoryTreasury(1n, 1n)
  const [plan] = store.all<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT * FROM payment WHERE agent_id = 'agt' AND ${name} = 'x'`,
  )
  close()
  expect(plan!.detail).toContain(`(${name}=? AND agent_id=?)`)
})
