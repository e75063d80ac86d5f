import { nextTurn } from '../durable/turns.ts'
import { AppError } from '../errors.ts'

/** A hash that takes longer is taken to be lost with its request. */
const lostAfterMs = 2_000
const longestRestMs = 1_000
const maxWaitMs = 15_000 // 15 seconds
/** How often a waiting call looks again. */
const lookMs = 100

type Clock = { now: () => number; wait: (ms: number) => Promise<void> }

/**
 * Turns of password hashes, because the platform hashes on the thread that all requests of an isolate share: one hash at a
 * time, and after each the thread is left to others for twice as long as the hash took.
 */
export class HashTurns {
  readonly #clock: Clock
  /** When the next hash may begin (ms, real time). */
  #freeAt = 0

  constructor(clock: Clock = { now: () => Date.now(), wait: nextTurn }) {
    this.#clock = clock
  }

  /**
   * Runs `hash` in its turn. `leastRestMs`: the rest if the clock does not show how long the hash took, since Cloudflare's may
   * stand still while code runs. Throws `rate_limited` after 15 seconds.
   */
  async run<T>(hash: () => Promise<T>, leastRestMs: number): Promise<T> {
    const startedAt = await this.#take()
    try {
      return await hash()
    } finally {
      const now = this.#clock.now()
      this.#freeAt = now + Math.max(leastRestMs, Math.min(longestRestMs, 2 * (now - startedAt)))
    }
  }

  /** Returns when this turn began (ms). Nothing is awaited after the last look, so that no two calls take one turn. */
  async #take(): Promise<number> {
    const since = this.#clock.now()
    let now = since
    for (; now < this.#freeAt; now = this.#clock.now()) {
      if (now - since > maxWaitMs)
        throw new AppError('rate_limited', 'Too many sign-ins at the moment. Try again in 5 s.', { retryAfter: 5 })
      await this.#clock.wait(Math.min(this.#freeAt - now, lookMs))
    }
    this.#freeAt = now + lostAfterMs
    return now
  }
}
