import type { RunAllowance } from '#domain/runs/forecast.ts'
import type { Context } from '../core/context.ts'
import { runs } from '../core/spender.ts'
import { gasToday } from './gas.ts'
import { messagesToday } from './messageLimits.ts'

/** What payout runs may still use today, and what the account's limits let them use on later days. */
export function runAllowance(ctx: Context): RunAllowance {
  const { level, use } = gasToday(ctx)
  const messages = { email: messagesToday(ctx, 'email', runs), sms: messagesToday(ctx, 'sms', runs) }
  return { limits: ctx.limits, level, gasUse: use, principal: runs, messages }
}
