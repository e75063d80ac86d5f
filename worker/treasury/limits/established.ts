import { usdcSetting } from '#domain/money.ts'
import { hourMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'
import { fromColumn } from '../storage/columns.ts'

/**
 * Whether the account is old enough and has confirmed enough payments on the primary network, in number and in USDC, which
 * is then permanent. Until then it is new and shares what the deployment gives to all new accounts.
 */
export function isEstablished(ctx: Context): boolean {
  ctx.established ||= readEstablished(ctx)
  return ctx.established
}

function readEstablished({ store, limits, now }: Context): boolean {
  const before = now() - limits.establishedAfterHours * hourMs
  if (!store.first('SELECT 1 FROM wallet WHERE created_at <= ? LIMIT 1', before)) return false
  const { payments, sent } = store.first<{ payments: number; sent: number }>(
    'SELECT payments, sent FROM gas_level',
  ) ?? {
    payments: 0,
    sent: 0,
  }
  return payments >= limits.establishedAfterPayments && fromColumn(sent) >= usdcSetting(limits.establishedAfterUsdc)
}
