import { AppError } from '../errors.ts'

const mostKeys = 50_000

/**
 * So many a window for each key, counted in this isolate's memory: what is refused here has cost nobody else anything.
 * Windows are the same for everyone. What may never be exceeded is counted elsewhere (budgets, passcodes, sign-ins).
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
    if (window !== this.#window || this.#used.size > mostKeys) {
      this.#window = window
      this.#used = new Map()
    }
    return this.#used.get(key) ?? 0
  }

  /** Counts one. Negative when it was one too many. */
  take(key: string, now: number): number {
    const used = this.#usedBy(key, now) + 1
    this.#used.set(key, used)
    return this.limit - used
  }

  isSpent = (key: string, now: number) => this.#usedBy(key, now) >= this.limit

  /** Whole seconds until the next window, at least 1. */
  resetsIn = (now: number) => Math.max(1, Math.ceil((this.windowMs - (now % this.windowMs)) / 1000))
}

/** Calls of one agent to /v1 and /mcp together: a hot one is told to slow down before it reaches its owner's Treasury. */
export const agentCalls = new Quota('agent', 1_000, 10_000) // 10 seconds
/** Tokens asked for by one client: each lasts 15 minutes. */
export const tokenRequests = new Quota('client', 60, 60_000) // 1 minute
/** Credentials nobody knows, from one network address. */
export const wrongCredentials = new Quota('address', 100, 10_000) // 10 seconds

/** Throws `rate_limited` when `key` has used up its quota. Counts nothing. */
export function refuseSpent(quota: Quota, key: string, now: number): void {
  if (quota.isSpent(key, now)) throw tooMany(quota, now)
}

/** Counts one. Throws `rate_limited` when it was one too many. */
export function admit(quota: Quota, key: string, now: number): void {
  if (quota.take(key, now) < 0) throw tooMany(quota, now)
}

export function tooMany(quota: Quota, now: number): AppError {
  const retryAfter = quota.resetsIn(now)
  const message = `Too many requests: ${quota.limit} in ${quota.windowMs / 1000} seconds. Try again in ${retryAfter} s.`
  return new AppError('rate_limited', message, { retryAfter })
}
