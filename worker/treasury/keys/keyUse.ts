import { keyring } from '../../keyrings/keyring.ts'
import type { Context } from '../core/context.ts'
import { reseal } from './reseal.ts'
import type { KeyUse } from './rpcTypes.ts'

/** SQL: payouts whose key or code may still be used. */
const isOpen = "status IN ('CREATING','CREATED','CLAIMING','RECLAIMING') OR returned_block IS NOT NULL"

const maxIds = 10

/** `flush` sends D1 the copies of values that were re-sealed. */
export async function renewKeys(ctx: Context, flush: () => Promise<void>): Promise<KeyUse> {
  const left = await reseal(ctx)
  await flush()
  const unsealed = left + waitingCopies(ctx)
  const current = (name: 'KEK' | 'PAYOUT_SECRET' | 'CODE_PEPPER') => keyring(ctx.env, name).current(ctx.now()).version
  const versions = { KEK: current('KEK'), PAYOUT_SECRET: current('PAYOUT_SECRET'), CODE_PEPPER: current('CODE_PEPPER') }
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

/** Number of copies that D1 does not have yet. */
const waitingCopies = ({ store }: Context): number =>
  store.first<{ n: number }>("SELECT count(*) AS n FROM outbox WHERE kind IN ('payout','kept')")!.n
