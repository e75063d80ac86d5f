import type { Context } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { type Quota, tooMany } from '../services/quotas.ts'

/**
 * Counts one and tells the caller where it stands (draft-ietf-httpapi-ratelimit-headers, 08 and later). Throws
 * `rate_limited` when it was one too many.
 */
export function admitAndTell(c: Context<AppEnv>, quota: Quota, key: string): void {
  const now = c.var.deps.now()
  const left = quota.take(key, now)
  c.header('RateLimit-Policy', `"${quota.name}";q=${quota.limit};w=${quota.windowMs / 1000}`)
  c.header('RateLimit', `"${quota.name}";r=${Math.max(0, left)};t=${quota.resetsIn(now)}`)
  if (left < 0) throw tooMany(quota, now)
}
