/** A clock for calls of the SDK, which moves as soon as a call has nothing else to wait for. */

type Timer = { at: number; run: () => void }

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  timeout: AbortSignal.timeout,
  performanceNow: performance.now,
  dateNow: Date.now,
}

/** Rounds of the event loop in which a call may do something else than wait for a timer, such as read a body. */
const rounds = 12

export class VectorClock {
  /** Ms since the start. */
  now = 0
  readonly startedAt: number
  readonly #timers = new Map<number, Timer>()
  #lastId = 0

  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  /** Replaces the clocks and timers of this process until `call` has ended. `offMs`: how far the wall clock is off. */
  async during<T>(offMs: number, call: () => Promise<T>): Promise<T> {
    globalThis.setTimeout = ((run: () => void, ms = 0) => {
      this.#timers.set(++this.#lastId, { at: this.now + ms, run })
      return this.#lastId
    }) as never
    globalThis.clearTimeout = ((id: number) => void this.#timers.delete(id)) as never
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController()
      setTimeout(
        () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
        ms,
      )
      return controller.signal
    }
    performance.now = () => this.now
    Date.now = () => this.startedAt + offMs + this.now
    try {
      return await this.#untilDone(call())
    } finally {
      globalThis.setTimeout = real.setTimeout
      globalThis.clearTimeout = real.clearTimeout
      AbortSignal.timeout = real.timeout
      performance.now = real.performanceNow
      Date.now = real.dateNow
    }
  }

  async #untilDone<T>(call: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    call.then(done, done)
    while (!isDone) {
      for (let i = 0; i < rounds && !isDone; i++) await new Promise<void>((resolve) => real.setImmediate(resolve))
      if (!isDone) this.#next()
    }
    return call
  }

  #next() {
    const next = [...this.#timers].sort(([, a], [, b]) => a.at - b.at)[0]
    if (!next) return
    const [id, { at, run }] = next
    this.#timers.delete(id)
    this.now = Math.max(this.now, at)
    run()
  }
}
