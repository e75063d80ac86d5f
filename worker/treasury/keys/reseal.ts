import { keyring } from '../../keyrings/keyring.ts'
import type { Context } from '../core/context.ts'
import { sendChanges } from '../delivery/history.ts'
import { recordChange } from '../outbox/changes.ts'
import { isOpenPayout } from '../storage/statuses.ts'
import type { KeyUse } from './rpcTypes.ts'
import { type SealedColumn, sealedColumns } from './sealedColumns.ts'

/** SQL: payouts whose key or code may still be used. */
const isOpen = `${isOpenPayout} OR returned_block IS NOT NULL`

const maxIds = 10

export async function renewKeys(ctx: Context): Promise<KeyUse> {
  const left = await reseal(ctx)
  const unsealed = left + (await sendChanges(ctx)).left
  const current = (name: keyof KeyUse['versions']) => keyring(ctx.env, name).current(ctx.now()).version
  const versions = {
    KEK: current('KEK'),
    PAYOUT_SECRET: current('PAYOUT_SECRET'),
    CODE_PEPPER: current('CODE_PEPPER'),
    ID_SECRET: current('ID_SECRET'),
  }
  const payouts = openPayouts(ctx, 'secret_version <> ?', versions.PAYOUT_SECRET)
  const codes = openPayouts(
    ctx,
    'CAST(code_hmac AS INTEGER) <> ?', // `<version>.<hex>` (claims/codeHmac.ts)
    versions.CODE_PEPPER,
  )
  return {
    unsealed,
    payouts: payouts.n,
    payoutUntil: payouts.until,
    payoutIds: payouts.ids,
    codes: codes.n,
    codeUntil: codes.until,
    codeIds: codes.ids,
    credentials: ctx.store.count(
      'credential WHERE created_at < ? AND (expires_at IS NULL OR expires_at > ?)',
      keyring(ctx.env, 'ID_SECRET').current(ctx.now()).from,
      ctx.now(),
    ),
    versions,
  }
}

function openPayouts({ store }: Context, condition: string, version: number) {
  const where = `FROM payout WHERE (${isOpen}) AND ${condition}`
  const totals = store.first<{ n: number; until: number | null }>(
    `SELECT count(*) AS n, max(expires_at) AS until ${where}`,
    version,
  )!
  const first = store.all<{ id: string }>(`SELECT id ${where} ORDER BY expires_at, id LIMIT ?`, version, maxIds)
  return { ...totals, ids: first.map(({ id }) => id) }
}

/** Values that one call re-seals, in about 200 ms. */
const maxValues = 1_000

type SealedRow = Record<string, string | number | null> & { sealed_value: string }

/**
 * Re-seals values under the current KEK version, a thousand at most. Returns how many are left. Safe to interrupt and to
 * repeat: a value that changes in the meantime is left to the next call. If a value can't be opened, throws after the
 * others have been re-sealed.
 */
async function reseal(ctx: Context): Promise<number> {
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
    if (copy) recordChange(ctx, copy(row))
  })
}

const countOutdated = (ctx: Context, version: number): number =>
  sealedColumns.reduce((sum, { table, column }) => {
    return sum + ctx.store.count(`${table} WHERE ${isOutdated(column)}`, under(version))
  }, 0)
