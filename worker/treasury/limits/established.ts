import { hourMs } from '#domain/time.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { Context } from '../core/context.ts'

/**
 * Whether the account is old enough and has enough confirmed payments on the primary network, which is then permanent. Until
 * then it is new and shares what the deployment gives to all new accounts.
 */
export function isEstablished(ctx: Context): boolean {
  ctx.established ||= readEstablished(ctx)
  return ctx.established
}

function readEstablished({ env, store, limits, now }: Context): boolean {
  const before = now() - limits.establishedAfterHours * hourMs
  if (!store.first('SELECT 1 FROM wallet WHERE created_at <= ? LIMIT 1', before)) return false
  const confirmed = store.count(
    `(SELECT 1 FROM payment WHERE status = 'CONFIRMED'
       AND wallet_id IN (SELECT id FROM wallet WHERE chain_id = ?) LIMIT ?)`,
    primaryChain(env),
    limits.establishedAfterPayments,
  )
  return confirmed >= limits.establishedAfterPayments
}
