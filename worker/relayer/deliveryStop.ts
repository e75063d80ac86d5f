import { type StopMode, stopReadingMs, stopsDelivery } from '#domain/serviceStop.ts'
import { primaryDb } from '../db/d1.ts'
import { readServiceStop } from '../db/operatorControls.ts'

export const stoppedByOperator = { problem: 'an operator has stopped it' }

const timeoutMs = 2_000 // 2 seconds

/**
 * Has an operator stopped delivery? Read from D1 every 5 seconds. Without D1 the last reading counts, or none: what is
 * signed may be delivered by anyone, and an owner's exit must not depend on a database.
 */
export class DeliveryStop {
  readonly #database: D1Database
  #mode: StopMode = 'none'
  #readAt = Number.NEGATIVE_INFINITY

  constructor(database: D1Database) {
    this.#database = database
  }

  async isStopped(now: number): Promise<boolean> {
    if (now - this.#readAt >= stopReadingMs) await this.#read(now)
    return stopsDelivery(this.#mode)
  }

  async #read(now: number): Promise<void> {
    // Whether it works or not: a database that is down is not asked at every step.
    this.#readAt = now
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, null)
    })
    const row = await Promise.race([this.#ask().catch(() => null), timeout])
    clearTimeout(timer)
    if (row) this.#mode = row.mode
  }

  /** Async, so that a missing binding rejects as an unreachable database does. */
  async #ask() {
    return readServiceStop(primaryDb(this.#database))
  }
}
