import { dayMs, isoOf } from '#domain/time.ts'
import type { ErrorCode } from '../../errors.ts'
import { type Refused, refuse } from '../../result.ts'

type LimitCode = Extract<
  ErrorCode,
  'payment_rate_exceeded' | 'queue_full' | 'gas_allowance_exceeded' | 'message_limit' | 'rate_limited'
>

/** 429 with the limit's name and reset time. Limits are not policies, so these refusals are not recorded. */
export function limitRefusal(
  code: LimitCode,
  limit: {
    /** Such as `limits.agent_payments`. */
    rule: string
    message: string
    /** What the caller can do. */
    next: string
    /** ms */
    resetsAt: number
  },
  now: number,
): Refused {
  const seconds = Math.max(1, Math.ceil((limit.resetsAt - now) / 1000))
  return {
    ...refuse(code, limit.message, { retryAfter: seconds }),
    refusal: {
      rule: limit.rule,
      next: limit.next,
      max_allowed_now: '0',
      resets_at: isoOf(limit.resetsAt),
    },
  }
}

/** 'in 1 second', 'in 3 minutes', 'at 00:00 UTC': when to try again. */
export function resetText(resetsAt: number, now: number): string {
  const seconds = Math.max(1, Math.ceil((resetsAt - now) / 1000))
  const some = (count: number, unit: string) => `in ${count} ${unit}${count === 1 ? '' : 's'}`
  if (seconds < 60) return some(seconds, 'second')
  return resetsAt % dayMs === 0 ? 'at 00:00 UTC' : some(Math.ceil(seconds / 60), 'minute')
}
