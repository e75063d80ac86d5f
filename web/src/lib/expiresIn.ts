import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { plural } from './format.ts'

/** 'Expires in 3 days', in whole hours on the last day. A payout that has expired is returned within a minute. */
export function expiresIn(iso: string, now: number): string {
  const ms = Date.parse(iso) - now
  if (ms <= 0) return 'Expired'
  if (ms < hourMs) return `Expires in ${plural(Math.max(1, Math.floor(ms / minuteMs)), 'minute')}`
  if (ms < dayMs) return `Expires in ${plural(Math.floor(ms / hourMs), 'hour')}`
  return `Expires in ${plural(Math.floor(ms / dayMs), 'day')}`
}
