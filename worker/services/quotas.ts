import { AppError } from '../errors.ts'

const maxKeys = 50_000

/**
 * A fixed-window counter per key in this isolate's memory, so refusals cost other requests nothing. All keys share the same
 * windows. Limits that must hold across isolates (budgets, passcodes, sign-ins) are counted in a database.
 */
export class Quota {
  readonly name: string
  readonly limit: number
  readonly windowMs: number
  #window = -1
  #used = new Map<string, number>()

  constructor(name: string, limit: number, windowMs: number) {
    this.name = name
    this.limit = limit
    this.windowMs = windowMs
  }

  #usedBy(key: string, now: number): number {
    const window = Math.floor(now / this.windowMs)
    if (window !== this.#window || this.#used.size > maxKeys) {
      this.#window = window
      this.#used = new Map()
    }
    return this.#used.get(key) ?? 0
  }

  /** Counts one call and returns how many are left in the window; negative if this one exceeded the limit. */
  take(key: string, now: number): number {
    const used = this.#usedBy(key, now) + 1
    this.#used.set(key, used)
    return this.limit - used
  }

  isSpent = (key: string, now: number) => this.#usedBy(key, now) >= this.limit

  /** Whole seconds until the next window, at least 1. */
  resetsIn = (now: number) => Math.max(1, Math.ceil((this.windowMs - (now % this.windowMs)) / 1000))
}

/** Calls of one agent to /v1 and /mcp together. Slows a busy agent down before its owner's Treasury queues up. */
export const agentCalls = new Quota('agent', 1_000, 10_000) // 10 seconds
/** Access tokens requested by one client. Each token lasts 15 minutes. */
export const tokenRequests = new Quota('client', 60, 60_000) // 1 minute
/** Unknown credentials from one network address. */
export const wrongCredentials = new Quota('address', 100, 10_000) // 10 seconds

/** Readiness checks from one network address. Each check calls every node. */
export const readinessChecks = new Quota('address', 20, 60_000) // 1 minute
/** Test notifications of one user. */
export const pushTests = new Quota('user', 5, 60_000) // 1 minute
const claimQuotas = new Map<string, Quota>()
/** Public calls about payouts from one network address in a minute. */
export function claimQuota(name: string, perMinute: number): Quota {
  const known = claimQuotas.get(name)
  if (known?.limit === perMinute) return known
  const quota = new Quota(name, perMinute, 60_000) // 1 minute
  claimQuotas.set(name, quota)
  return quota
}

/** Throws `rate_limited` if `key` has used up its quota. Does not count the call. */
export function requireQuota(quota: Quota, key: string, now: number): void {
  if (quota.isSpent(key, now)) throw quotaExceeded(quota, now)
}

/** Counts one call. Throws `rate_limited` if it exceeded the limit. */
export function consumeQuota(quota: Quota, key: string, now: number): void {
  if (quota.take(key, now) < 0) throw quotaExceeded(quota, now)
}

export function quotaExceeded(quota: Quota, now: number): AppError {
  const retryAfter = quota.resetsIn(now)
  const message = `Too many requests: the limit is ${quota.limit} in ${quota.windowMs / 1000} seconds. Try again in ${retryAfter} s.`
  return new AppError('rate_limited', message, { retryAfter })
}
