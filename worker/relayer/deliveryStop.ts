import { type StopMode, stopReadingMs, stopsDelivery } from '#domain/serviceStop.ts'
import { primaryDb } from '../db/d1.ts'
import { readServiceStop } from '../db/operatorControls.ts'

export const stoppedByOperator = { problem: 'an operator has stopped it' }

const timeoutMs = 2_000 // 2 seconds

/**
 * Tells whether an operator has stopped delivery, read from D1 every 5 seconds. Without D1 the last reading counts, or
 * `none`: anyone may deliver what is signed, and an owner's exit must not depend on a database.
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
    // Set even if the query fails, so that a database that is down is not queried at every step.
    this.#readAt = now
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, null)
    })
    const row = await Promise.race([this.#query().catch(() => null), timeout])
    clearTimeout(timer)
    if (row) this.#mode = row.mode
  }

  /** Async, so that a missing binding rejects like an unreachable database. */
  async #query() {
    return readServiceStop(primaryDb(this.#database))
  }
}
