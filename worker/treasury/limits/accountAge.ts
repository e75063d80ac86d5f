import { usdcSetting, zeroUsdc } from '#domain/money.ts'
import { hourMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import { storedLevel } from './gasLevel.ts'

/** True once the account has been found to be established, which is permanent. */
export const established = inMemory(() => ({ isKnown: false }))

/**
 * Whether the account is old enough and has confirmed enough payments on the primary network, in number and in USDC, which
 * is then permanent. Until then it is new and shares what the deployment gives to all new accounts.
 */
export function isEstablished(ctx: Context): boolean {
  const known = established(ctx)
  known.isKnown ||= readEstablished(ctx)
  return known.isKnown
}

function readEstablished({ store, limits, now }: Context): boolean {
  const { payments, sent } = storedLevel(store) ?? { payments: 0, sent: zeroUsdc }
  if (payments < limits.establishedAfterPayments || sent < usdcSetting(limits.establishedAfterUsdc)) return false
  const before = now() - limits.establishedAfterHours * hourMs
  return store.first('SELECT 1 FROM wallet WHERE created_at <= ? LIMIT 1', before) !== null
}
