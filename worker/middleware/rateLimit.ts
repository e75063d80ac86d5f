import type { Context } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { type Quota, quotaExceeded } from '../services/quotas.ts'
import type { RateState } from '../treasury/limits/rpcTypes.ts'

/**
 * Counts one request against `quota` and reports what is left (draft-ietf-httpapi-ratelimit-headers, 08 and later). Throws
 * `rate_limited` if nothing was left.
 */
export function rateLimit(c: Context<AppEnv>, quota: Quota, key: string): void {
  const now = c.var.deps.now()
  const left = quota.take(key, now)
  c.header('RateLimit-Policy', `"${quota.name}";q=${quota.limit};w=${quota.windowMs / 1000}`)
  c.header('RateLimit', `"${quota.name}";r=${Math.max(0, left)};t=${quota.resetsIn(now)}`)
  if (left < 0) throw quotaExceeded(quota, now)
}

/** Adds the rates of the caller's payments to both headers. */
export function reportRates(c: Context<AppEnv>, rates: readonly RateState[]): void {
  for (const { name, limit, remaining, windowSeconds, resetSeconds } of rates) {
    c.header('RateLimit-Policy', `"${name}";q=${limit};w=${windowSeconds}`, { append: true })
    c.header('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`, { append: true })
  }
}
