const maxWaitMs = 5_000 // 5 seconds

/** Calls that wait until a job is no longer `waiting`. */
export class JobWaiters {
  readonly #isWaiting: (id: string) => boolean
  readonly #waiters = new Map<string, Set<() => void>>()

  constructor(isWaiting: (id: string) => boolean) {
    this.#isWaiting = isWaiting
  }

  /** Returns once `resolve` finds the job no longer waiting, or after `ms` (at most 5,000). */
  async wait(id: string, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiters = this.#waiters.get(id) ?? new Set()
    this.#waiters.set(id, waiters.add(resolve))
    const timeout = setTimeout(resolve, Math.min(ms, maxWaitMs))
    await promise
    clearTimeout(timeout)
    waiters.delete(resolve)
    if (waiters.size === 0) this.#waiters.delete(id)
  }

  /** Call after every change of jobs. */
  resolve(): void {
    for (const [id, waiters] of this.#waiters) {
      if (this.#isWaiting(id)) continue
      for (const resolve of waiters) resolve()
    }
  }
}
