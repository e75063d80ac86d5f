import { type CountedName, countedLimits, type RateName, rates, waitAndRepeat } from '#domain/limitList.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'

/** 429 with the limit's name and reset time (ms). Limits are not policies, so these refusals are not recorded. */
export function limitRefusal({ limits, now }: Context, limit: CountedName, resetsAt: number): Refused {
  const { code, text, next } = countedLimits[limit]
  return refusal(code, `limits.${limit.split(' ')[0]}`, text(limits), next, resetsAt, now())
}

/** The same for a rate. */
export function rateRefusal({ limits }: Context, name: RateName, resetsAt: number, now: number): Refused {
  const { code, rate, text } = rates[name]
  const at = Number.isFinite(resetsAt) ? resetsAt : now + dayMs
  const message = `${text(rate(limits))} Please try again ${resetText(at, now)}.`
  return refusal(code, `limits.${name}`, message, waitAndRepeat, at, now)
}

function refusal(
  code: (typeof countedLimits)[CountedName]['code'] | (typeof rates)[RateName]['code'],
  rule: string,
  message: string,
  next: string,
  resetsAt: number,
  now: number,
): Refused {
  return {
    ...refuse(code, message, { retryAfter: secondsUntil(resetsAt, now) }),
    refusal: { rule, next, max_allowed_now: '0', resets_at: isoOf(resetsAt) },
  }
}

const secondsUntil = (at: number, now: number) => Math.max(1, Math.ceil((at - now) / 1000))

/** 'in 1 second', 'in 3 minutes', 'at 00:00 UTC': when to try again. */
function resetText(resetsAt: number, now: number): string {
  const seconds = secondsUntil(resetsAt, now)
  const some = (count: number, unit: string) => `in ${count} ${unit}${count === 1 ? '' : 's'}`
  if (seconds < 60) return some(seconds, 'second')
  return resetsAt % dayMs === 0 ? 'at 00:00 UTC' : some(Math.ceil(seconds / 60), 'minute')
}
