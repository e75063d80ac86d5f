/** Calls closer together than this count as load. */
const quietMs = 50
/** The longest a call waits for others. */
const maxWaitMs = 20

/**
 * Lets calls that arrive together be decided in one turn of the event loop, so that SQLite flushes to disk once for all of
 * them. The first call after a quiet period does not wait.
 */
export class CommitBatcher {
  readonly #now: () => number
  #lastCallAt = 0
  #calls = 0
  #batch: Promise<void> | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  /** Resolves when the caller may decide. Returns undefined if it may decide immediately. */
  join(): Promise<void> | undefined {
    const at = this.#now()
    const isQuiet = at - this.#lastCallAt > quietMs
    this.#lastCallAt = at
    this.#calls += 1
    if (isQuiet && !this.#batch) return
    this.#batch ??= this.#collect(at + maxWaitMs)
    return this.#batch
  }

  /** Waits only while more calls keep arriving, so a lone caller waits a millisecond instead of the maximum. */
  async #collect(until: number): Promise<void> {
    let before: number
    do {
      before = this.#calls
      await scheduler.wait(1)
    } while (this.#calls > before && this.#now() < until)
    this.#batch = null
  }
}
