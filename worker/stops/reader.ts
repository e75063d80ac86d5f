import type { Region } from '#domain/region.ts'
import { stopReadingMs, stopRefreshMs } from '#domain/serviceStop.ts'
import type { Bindings } from '../bindings.ts'
import { within } from '../durable/within.ts'
import type { StopReading } from './api.ts'
import { answerMs, stopObject, stopRegionOf } from './regions.ts'

/** While the object does not respond, it is read at most this often, then half as often each time, down to the last figure. */
const firstRetryMs = 1_000 // 1 second
const lastRetryMs = 8_000 // 8 seconds
/** The longest that a reading keeps others from starting one in the background. */
const busyMs = 2_000 // 2 seconds

/** `number`: readings are numbered in the order in which they began. `readAt`: when it began (ms). */
export type NumberedReading = StopReading & { number: number; readAt: number }

/**
 * What operators have stopped, as this isolate last read it from the object of its region; all Treasuries and Relayers of
 * the isolate share it. Holds values, not promises: a promise belongs to the object that made it.
 */
export class StopReader {
  /** Replaceable in tests. */
  clock = { now: () => Date.now() }
  /** The number of readings that have begun. */
  begun = 0
  /** The newest reading. */
  last: NumberedReading | null = null
  readonly #source: (env: Bindings) => Promise<StopReading>
  /** From 0.6 to 1, so that isolates that started together do not go on reading together. */
  readonly #pace: number
  #failedAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #busySince = Number.NEGATIVE_INFINITY

  constructor(source: (env: Bindings) => Promise<StopReading>, pace = 0.6 + 0.4 * Math.random()) {
    this.#source = source
    this.#pace = pace
  }

  /** How old something read at `readAt` is (ms). What was read in the future, before the clock was set back, counts as old. */
  age(readAt: number): number {
    return Math.abs(this.clock.now() - readAt)
  }

  /** Whether the caller, who knows a reading of this age (ms), should read now. Only a useless one is worth two at a time. */
  isDue(age: number): boolean {
    if (age < stopRefreshMs * this.#pace || this.age(this.#failedAt) < this.#retryMs()) return false
    return age >= stopReadingMs || this.age(this.#busySince) >= busyMs
  }

  /** Reads the object. Never throws: a failure, or a state older than one already seen, leaves `last` as it is. */
  async read(env: Bindings): Promise<void> {
    this.begun += 1
    const number = this.begun
    // Taken before the call, so that a stop that the object does not have yet is never older than the reading.
    const readAt = this.clock.now()
    this.#busySince = readAt
    try {
      const reading = await within(answerMs, () => this.#source(env))
      if (reading.edition < (this.last?.edition ?? 0)) throw new Error('an older state')
      if (number > (this.last?.number ?? 0)) this.last = { ...reading, number, readAt }
      this.#failures = 0
      this.#failedAt = Number.NEGATIVE_INFINITY
    } catch {
      this.#failedAt = this.clock.now()
      this.#failures += 1
    } finally {
      this.#busySince = Number.NEGATIVE_INFINITY
    }
  }

  #retryMs(): number {
    return Math.min(lastRetryMs, firstRetryMs * 2 ** Math.max(0, this.#failures - 1)) * this.#pace
  }
}

const readers = new Map<Region, StopReader>()

/** The reader that all objects of this isolate in this location share. A null `hint` means that it is not known. */
export function stopReader(env: Bindings, hint: Region | null = null): StopReader {
  const region = stopRegionOf(env, hint)
  const known = readers.get(region)
  if (known) return known
  const reader = new StopReader((env) => stopObject(env, region).read())
  readers.set(region, reader)
  return reader
}

/** For tests, which delete the objects that were read. */
export const forgetReaders = (): void => readers.clear()
