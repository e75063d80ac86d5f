import { keyring } from '../../keyrings/keyring.ts'
import type { Context } from '../context.ts'
import type { KeyUse } from './api.ts'
import { reseal } from './reseal.ts'

/** Of payouts whose key or code may still be used. */
const isOpen = "status IN ('CREATING','CREATED','CLAIMING','RECLAIMING') OR returned_block IS NOT NULL"

/** `flush` brings D1 the copies of what was sealed again. */
export async function renewKeys(ctx: Context, flush: () => Promise<void>): Promise<KeyUse> {
  const left = await reseal(ctx)
  await flush()
  const unsealed = left + waitingCopies(ctx)
  const current = (name: 'KEK' | 'PAYOUT_SECRET' | 'CODE_PEPPER') => keyring(ctx.env, name).current(ctx.now()).version
  const versions = { KEK: current('KEK'), PAYOUT_SECRET: current('PAYOUT_SECRET'), CODE_PEPPER: current('CODE_PEPPER') }
  const lastExpiry = (condition: string, version: number) =>
    ctx.store.first<{ at: number | null }>(
      `SELECT max(expires_at) AS at FROM payout WHERE (${isOpen}) AND ${condition}`,
      version,
    )!.at
  return {
    unsealed,
    payoutUntil: lastExpiry('secret_version <> ?', versions.PAYOUT_SECRET),
    codeUntil: lastExpiry(
      // Without a point it is of the first version (claims/codeHmac.ts).
      "code_hmac IS NOT NULL AND CASE instr(code_hmac, '.') WHEN 0 THEN 1 ELSE CAST(code_hmac AS INTEGER) END <> ?",
      versions.CODE_PEPPER,
    ),
    versions,
  }
}

/** Copies that D1 does not have yet. */
const waitingCopies = ({ store }: Context): number =>
  store.first<{ n: number }>("SELECT count(*) AS n FROM outbox WHERE kind IN ('payout','kept')")!.n
