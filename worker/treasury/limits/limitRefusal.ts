import { dayMs, isoOf } from '#domain/time.ts'
import type { ErrorCode } from '../../errors.ts'
import { type Refused, refuse } from '../../result.ts'

type LimitCode = Extract<
  ErrorCode,
  'payment_rate_exceeded' | 'queue_full' | 'gas_allowance_exceeded' | 'message_limit' | 'rate_limited'
>

/** 429 with the limit's name and reset time. Limits are not policies, so these refusals are not recorded. */
export function limitRefusal(
  now: number,
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
): Refused {
  const { rule, message, next, resetsAt } = limit
  return {
    ...refuse(code, message, { retryAfter: secondsUntil(resetsAt, now) }),
    refusal: { rule, next, max_allowed_now: '0', resets_at: isoOf(resetsAt) },
  }
}

/** What callers can do about most limits. */
export const waitAndRepeat = 'Wait until resets_at, then send the request again with the same Idempotency-Key.'

const secondsUntil = (at: number, now: number) => Math.max(1, Math.ceil((at - now) / 1000))

/** 'in 1 second', 'in 3 minutes', 'at 00:00 UTC': when to try again. */
export function resetText(resetsAt: number, now: number): string {
  const seconds = secondsUntil(resetsAt, now)
  const some = (count: number, unit: string) => `in ${count} ${unit}${count === 1 ? '' : 's'}`
  if (seconds < 60) return some(seconds, 'second')
  return resetsAt % dayMs === 0 ? 'at 00:00 UTC' : some(Math.ceil(seconds / 60), 'minute')
}
