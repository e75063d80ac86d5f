import { keyring } from '../../../keyrings/keyring.ts'
import type { Context } from '../../core/context.ts'
import { pagesOf } from '../../core/storage/pages.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { openPayoutStatuses } from '../../core/storage/statuses.ts'
import { recordChange } from '../../outbox/changes.ts'
import { sendChanges } from '../../outbox/delivery/history.ts'
import { spentTokenMs } from '../connections/tokens.ts'
import type { KeyUse } from './rpcTypes.ts'
import { type SealedColumn, sealedColumns } from './sealedColumns.ts'

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
  const open = await openPayouts(ctx)
  const payouts = summaryOf(open.filter(({ secret_version }) => secret_version !== versions.PAYOUT_SECRET))
  // `<version>.<hex>` (claims/codeHmac.ts)
  const codes = summaryOf(
    open.filter(({ code_hmac }) => code_hmac !== null && Number.parseInt(code_hmac, 10) !== versions.CODE_PEPPER),
  )
  return {
    unsealed,
    payouts: payouts.n,
    payoutUntil: payouts.until,
    payoutIds: payouts.ids,
    codes: codes.n,
    codeUntil: codes.until,
    codeIds: codes.ids,
    credentials: credentialsFrom(ctx, keyring(ctx.env, 'ID_SECRET').current(ctx.now()).from),
    versions,
  }
}

/** Valid credentials that agents and apps hold from before this time (ms). The credential of a connection is in no token's text. */
const credentialsFrom = ({ store, now }: Context, before: number): number =>
  store.count(
    "credential WHERE created_at < ? AND (expires_at IS NULL OR expires_at > ?) AND kind <> 'connection'",
    before,
    now(),
  ) +
  store.count(
    'refresh_token WHERE created_at < ? AND expires_at > ? AND (replaced_at IS NULL OR replaced_at > ?)',
    ...[before, now(), now() - spentTokenMs],
  )

type PayoutUse = Pick<PayoutRow, 'id' | 'status' | 'returned_block' | 'expires_at' | 'secret_version' | 'code_hmac'>

/** Payouts whose key or code may still be used. */
async function openPayouts({ store }: Context): Promise<PayoutUse[]> {
  const columns = ['id', 'status', 'returned_block', 'expires_at', 'secret_version', 'code_hmac']
  const open: PayoutUse[] = []
  for await (const rows of pagesOf<PayoutUse>(store, 'payout', columns))
    for (const row of rows) if (openStatuses.includes(row.status) || row.returned_block !== null) open.push(row)
  return open
}

const openStatuses: readonly string[] = openPayoutStatuses

function summaryOf(payouts: PayoutUse[]) {
  const byExpiry = payouts.toSorted((a, b) => a.expires_at - b.expires_at || (a.id < b.id ? -1 : 1))
  return {
    n: payouts.length,
    until: byExpiry.at(-1)?.expires_at ?? null,
    ids: byExpiry.slice(0, maxIds).map(({ id }) => id),
  }
}

/** Values that one call re-seals, in about 200 ms. */
const maxValues = 1_000

type SealedRow = Record<string, string | number | null> & { sealed_value: string | null }

/**
 * Re-seals values under the current KEK version, a thousand at most. Returns how many are left. Safe to interrupt and to
 * repeat: a value that changes in the meantime is left to the next call. If a value can't be opened, throws after the
 * others have been re-sealed.
 */
async function reseal(ctx: Context): Promise<number> {
  const { version } = keyring(ctx.env, 'KEK').current(ctx.now())
  let [resealed, left] = [0, 0]
  const failures: unknown[] = []
  for (const column of sealedColumns) {
    const names = [...column.key, ...(column.with ?? []), `${column.column} AS sealed_value`]
    for await (const rows of pagesOf<SealedRow>(ctx.store, column.table, names))
      for (const row of rows) {
        if (!row.sealed_value || row.sealed_value.startsWith(`v${version}.`)) continue
        if (resealed >= maxValues) left += 1
        else {
          resealed += 1
          await resealOne(ctx, column, row, row.sealed_value).catch((error: unknown) => failures.push(error))
        }
      }
  }
  if (failures.length > 0) throw failures[0]
  return left
}

async function resealOne(
  ctx: Context,
  { table, column, key, binding, copy }: SealedColumn,
  row: SealedRow,
  value: string,
): Promise<void> {
  const bound = binding(ctx, row)
  const again = await ctx.sealer.seal(await ctx.sealer.open(value, bound), bound)
  ctx.store.transaction(() => {
    ctx.store.run(
      `UPDATE ${table} SET ${column} = ? WHERE ${key.map((name) => `${name} = ?`).join(' AND ')} AND ${column} = ?`,
      again,
      ...key.map((name) => row[name]!),
      value,
    )
    if (copy) recordChange(ctx, copy(row))
  })
}
