import { type Limits, parseLimits, userLimits, withLimits } from '#domain/limits.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { resetAllowance } from '../limits/gas.ts'
import type { UserLimits } from './rpcTypes.ts'

/** Limits that an operator has set for this account. */
export const limitsSet = ({ store }: Context): UserLimits => parseLimits(store.meta('limits'))

/** Changes the given limits; null resets one to the deployment's. A gas allowance applies immediately, not from tomorrow. */
export function setUserLimits(ctx: Context, change: { [Name in keyof Limits]?: number | null }): UserLimits {
  const { store } = ctx
  const next: Record<string, number> = { ...limitsSet(ctx) }
  for (const name of userLimits) {
    const value = change[name]
    if (value === null) delete next[name]
    else if (value !== undefined) next[name] = value
  }
  const limits = withLimits(parseLimits(ctx.env.LIMITS), next)
  store.transaction(() => {
    store.setMeta('limits', JSON.stringify(next))
    if (change.gasPerDay !== undefined) resetAllowance({ ...ctx, limits })
    audit(store, ctx.now(), 'account.limits_set', 'account', change)
  })
  ctx.limits = limits
  return next
}
