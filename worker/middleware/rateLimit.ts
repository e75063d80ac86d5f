import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import ipaddr from 'ipaddr.js'
import type { AppEnv } from '../appEnv.ts'
import { withConcurrencyLimit } from '../services/concurrencyLimit.ts'
import { type PublicCall, type Quota, quotaExceeded, quotaOf } from '../services/quotas.ts'
import type { RateState } from '../treasury/limits/rpcTypes.ts'

/** A call counts once more for each of these in its body. */
const charactersPerCall = 16_384

/**
 * Counts one request against `quota`, a large one as several, and reports what is left (draft-ietf-httpapi-ratelimit-headers,
 * 08 and later). Throws `rate_limited` after a delay if nothing was left.
 */
export async function rateLimit(c: Context<AppEnv>, quota: Quota, key: string): Promise<void> {
  const now = c.var.deps.now()
  const cost = Math.min(quota.limit, 1 + Math.floor((c.var.bodyLength ?? 0) / charactersPerCall))
  const left = quota.take(key, now, cost)
  c.header('RateLimit-Policy', `"${quota.name}";q=${quota.limit};w=${quota.windowMs / 1000}`)
  c.header('RateLimit', `"${quota.name}";r=${Math.max(0, left)};t=${quota.resetsIn(key, now)}`)
  if (left < 0) await refuseCall(quota, key, now, cost)
}

/** Throws `rate_limited` after a delay. */
export async function refuseCall(quota: Quota, key: string, now: number, cost?: number): Promise<never> {
  // Before the delay, in which another call may begin the next window, whose end would be too late.
  const refusal = quotaExceeded(quota, key, now, cost)
  await delayRefusal()
  throw refusal
}

const refusalDelayMs = 250
const maxDelayed = 1_000
/** When the delays end, oldest first. Not a counter, which a call whose client disconnects would never decrement. */
const delayed: number[] = []

/** Waiting takes no CPU time: a caller that ignores Retry-After uses up its connections, not the time of other callers. */
async function delayRefusal(): Promise<void> {
  const now = Date.now()
  while (delayed[0] !== undefined && delayed[0] <= now) delayed.shift()
  if (delayed.length >= maxDelayed) return
  delayed.push(now + refusalDelayMs)
  await scheduler.wait(refusalDelayMs)
}

/** Adds the rates of the caller's payments to both headers. */
export function reportRates(c: Context<AppEnv>, rates: readonly RateState[]): void {
  for (const { name, limit, remaining, windowSeconds, resetSeconds } of rates) {
    c.header('RateLimit-Policy', `"${name}";q=${limit};w=${windowSeconds}`, { append: true })
    c.header('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`, { append: true })
  }
}

/** The caller's network address as seen by Cloudflare, for limits only. */
export const callerAddress = (c: Context) => subscriberAddress(c.req.header('cf-connecting-ip') ?? 'unknown')

/** The IPv4 address, or the /64 network of an IPv6 address: a subscriber has all of it and could otherwise evade limits. */
export function subscriberAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address
  // Also turns IPv4-mapped IPv6 into IPv4, because its /64 would cover all of IPv4.
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/** Limits a public call per network address. Throws `rate_limited`. */
export const limitAddress = (c: Context<AppEnv>, name: PublicCall) =>
  rateLimit(c, quotaOf(name, c.env), callerAddress(c))

/** The same, before anything else is done. */
export const addressLimit = (name: PublicCall) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await limitAddress(c, name)
    await next()
  })

/** Passwords that calls from one network address may check or choose at the same time: one hash runs in an isolate at a time. */
const passwordsAtOnce = 4

/** For public calls that hash a password. Further ones of the same address wait, so that others have their turn. */
export const passwordTurn = createMiddleware<AppEnv>((c, next) =>
  withConcurrencyLimit(`passwords ${callerAddress(c)}`, passwordsAtOnce, next),
)
