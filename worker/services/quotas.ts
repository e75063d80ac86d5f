import { type Bucket, type Limits, limitsFrom, refill, takeTokens } from '#domain/limits.ts'
import { minuteMs } from '#domain/time.ts'
import { AppError } from '../errors.ts'

const maxKeys = 50_000

/**
 * Calls per key, counted in this isolate's memory, so that refusals cost other requests nothing: `limit` at once, and as many
 * again in each `windowMs`, evenly. Limits that must hold across isolates (budgets, passcodes, sign-ins) are counted in a
 * database.
 */
export class Quota {
  readonly name: string
  readonly limit: number
  readonly windowMs: number
  readonly #rate: { perSecond: number; burst: number }
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(name: string, limit: number, windowMs: number) {
    this.name = name
    this.limit = limit
    this.windowMs = windowMs
    this.#rate = { perSecond: (limit * 1000) / windowMs, burst: limit }
  }

  /** Number of keys whose quota is not known to be full. */
  get size(): number {
    return this.#buckets.size
  }

  /** Takes `cost` calls and returns how many are left, or takes nothing and returns -1 if there are not as many. */
  take(key: string, now: number, cost = 1): number {
    const taken = takeTokens(this.#buckets.get(key) ?? null, this.#rate, now, cost)
    const bucket = taken.ok ? taken.bucket : this.#left(key, now)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    this.#forget(now)
    return taken.ok ? Math.floor(bucket.tokens) : -1
  }

  isSpent = (key: string, now: number) => this.#left(key, now).tokens < 1

  /** Whole seconds, at least 1, until `cost` calls are left, or the whole limit if they are left now. */
  resetsIn(key: string, now: number, cost = 1): number {
    const { tokens } = this.#left(key, now)
    const missing = (tokens < cost ? cost : this.limit) - tokens
    return Math.max(1, Math.ceil(missing / this.#rate.perSecond))
  }

  #left = (key: string, now: number) => refill(this.#buckets.get(key) ?? null, this.#rate, now)

  /** Drops keys whose quota is full again, and the least recently used one if there are too many. */
  #forget(now: number): void {
    for (const [key, { at }] of this.#buckets) {
      if (this.#buckets.size <= maxKeys && now - at < this.windowMs) return
      this.#buckets.delete(key)
    }
  }
}

/** Calls of one agent to /v1 and /mcp together. Slows a busy agent down before its owner's Treasury queues up. */
export const agentCalls = new Quota('agent', 1_000, 10_000) // 10 seconds
export const agentCallsAtOnce = 16
/** Access tokens requested by one client. Each token lasts 15 minutes. */
export const tokenRequests = new Quota('client', 60, 60_000) // 1 minute
/** Credentials that we did not issue, from one network address. Those that we did are not refused by this limit. */
export const wrongCredentials = new Quota('address', 100, 10_000) // 10 seconds
/** Wrong secrets of one client from one network address. */
export const wrongSecrets = new Quota('client', 20, 900_000) // 15 minutes
/** Questions of one device whether it was allowed. Further ones are told to slow down (RFC 8628 section 3.5). */
export const devicePolls = new Quota('device', 1, 5_000) // 5 seconds

/** Fetches of what apps publish on their websites, for one user. */
export const websiteFetches = new Quota('user', 20, 60_000) // 1 minute

/** Readiness checks from one network address. Each check calls every node. */
export const readinessChecks = new Quota('address', 20, 60_000) // 1 minute
/** Test notifications of one user. */
export const pushTests = new Quota('user', 5, 60_000) // 1 minute

const perMinute = (name: keyof Limits) => (limits: Limits) => [limits[name], minuteMs] as const
const perPerson = ({ userCallBurst, userCallsPerSecond }: Limits) =>
  [userCallBurst, (userCallBurst / userCallsPerSecond) * 1000] as const

/** Quotas whose limits are settings: of public calls from one network address, and of signed-in people. */
const publicCalls = {
  'sign-in': perMinute('signInCallsPerMinute'),
  health: perMinute('healthChecksPerMinute'),
  authorize: perMinute('connectingCallsPerMinute'),
  device: perMinute('connectingCallsPerMinute'),
  register: perMinute('connectingCallsPerMinute'),
  'claim-reads': perMinute('claimReadsPerMinute'),
  /** Calls that try a code or request a new one. */
  'claim-tries': perMinute('claimTriesPerMinute'),
}
export type PublicCall = keyof typeof publicCalls
const configurable = {
  ...publicCalls,
  /** One user with all their sessions. */
  user: perPerson,
  /** All members of one account together: they leave the account to its owner. */
  members: perPerson,
}
export const quotaOf = (name: keyof typeof configurable, env: { LIMITS?: string }): Quota =>
  quotaFor(name, ...configurable[name](limitsFrom(env)))

const configured = new Map<string, Quota>()
/** The quota of this name, with this limit. */
export function quotaFor(name: string, limit: number, windowMs: number): Quota {
  const known = configured.get(name)
  if (known?.limit === limit && known.windowMs === windowMs) return known
  const quota = new Quota(name, limit, windowMs)
  configured.set(name, quota)
  return quota
}

/** Throws `rate_limited` if `key` has used up its quota. Does not count the call. */
export function requireQuota(quota: Quota, key: string, now: number): void {
  if (quota.isSpent(key, now)) throw quotaExceeded(quota, key, now)
}

/** Counts one call. Throws `rate_limited` if none was left. */
export function consumeQuota(quota: Quota, key: string, now: number): void {
  if (quota.take(key, now) < 0) throw quotaExceeded(quota, key, now)
}

export function quotaExceeded(quota: Quota, key: string, now: number, cost = 1): AppError {
  const retryAfter = quota.resetsIn(key, now, cost)
  const message = `Too many requests: the limit is ${quota.limit} in ${quota.windowMs / 1000} seconds. Try again in ${retryAfter} s.`
  return new AppError('rate_limited', message, { retryAfter })
}
