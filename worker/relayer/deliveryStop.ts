import { stopReadingMs, stopsDelivery } from '#domain/serviceStop.ts'
import type { Env } from '../env.ts'
import { type StopReader, stopReader } from '../stops/reader.ts'

/**
 * Tells whether an operator has stopped delivery. If the stop object does not respond, the last reading counts, or `none`:
 * anyone may deliver what is signed, and an owner's exit must not depend on it.
 */
export class DeliveryStop {
  readonly #env: Env
  readonly #reader: StopReader

  constructor(env: Env, reader = stopReader(env)) {
    this.#env = env
    this.#reader = reader
  }

  async isStopped(): Promise<boolean> {
    const { last } = this.#reader
    const age = this.#reader.age(last?.readAt ?? Number.NEGATIVE_INFINITY)
    if (this.#reader.isDue(age)) {
      const reading = this.#reader.read(this.#env)
      if (age >= stopReadingMs) await reading
    }
    return stopsDelivery(this.#reader.last?.mode ?? 'none')
  }
}
