import { keyring } from '../../keyrings/keyring.ts'
import type { Context } from '../core/context.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { type SealedColumn, sealedColumns } from './sealedColumns.ts'

/** Values that one call re-seals, in about 200 ms. */
const maxValues = 1_000

type SealedRow = Record<string, string | number | null> & { sealed_value: string }

/**
 * Re-seals values under the current KEK version, a thousand at most. Returns how many are left. Safe to interrupt and to
 * repeat: a value that changes in the meantime is left to the next call. If a value can't be opened, throws after the
 * others have been re-sealed.
 */
export async function reseal(ctx: Context): Promise<number> {
  const { version } = keyring(ctx.env, 'KEK').current(ctx.now())
  let room = maxValues
  const failures: unknown[] = []
  for (const column of sealedColumns) {
    const rows = outdated(ctx, column, version, room)
    room -= rows.length
    for (const row of rows) await resealOne(ctx, column, row).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
  return countOutdated(ctx, version)
}

const isOutdated = (column: string) => `${column} <> '' AND ${column} NOT LIKE ?`
const under = (version: number) => `v${version}.%`

function outdated(ctx: Context, { table, column, key, with: more = [] }: SealedColumn, version: number, limit: number) {
  return ctx.store.all<SealedRow>(
    `SELECT ${[...key, ...more].join(', ')}, ${column} AS sealed_value FROM ${table} WHERE ${isOutdated(column)} LIMIT ?`,
    under(version),
    limit,
  )
}

async function resealOne(
  ctx: Context,
  { table, column, key, binding, copy }: SealedColumn,
  row: SealedRow,
): Promise<void> {
  const bound = binding(ctx, row)
  const again = await ctx.sealer.seal(await ctx.sealer.open(row.sealed_value, bound), bound)
  ctx.store.transaction(() => {
    ctx.store.run(
      `UPDATE ${table} SET ${column} = ? WHERE ${key.map((name) => `${name} = ?`).join(' AND ')} AND ${column} = ?`,
      again,
      ...key.map((name) => row[name]!),
      row.sealed_value,
    )
    if (copy) enqueue(ctx, ...copy(row))
  })
}

const countOutdated = (ctx: Context, version: number): number =>
  sealedColumns.reduce((sum, { table, column }) => {
    const query = `SELECT count(*) AS n FROM ${table} WHERE ${isOutdated(column)}`
    return sum + ctx.store.first<{ n: number }>(query, under(version))!.n
  }, 0)
