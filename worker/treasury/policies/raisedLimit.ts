import { formatUsdc, type MicroUsdc, maxAmount } from '#domain/money.ts'
import { ok, type Result, refuse } from '../../result.ts'
import { fromColumn } from '../storage/columns.ts'
import type { GroupRow } from '../storage/rows.ts'

/** The limit raised by this amount, or why it can't be raised. */
export function raisedLimit(group: GroupRow, amount: MicroUsdc): Result<MicroUsdc> {
  if (group.spend_limit === null) return refuse('unprocessable', 'This policy group has no budget limit to top up.')
  const limit = fromColumn(group.spend_limit) + amount
  return limit > maxAmount
    ? refuse('unprocessable', `The budget limit can be at most ${formatUsdc(maxAmount)} USDC`, { field: 'amount' })
    : ok(limit as MicroUsdc)
}
