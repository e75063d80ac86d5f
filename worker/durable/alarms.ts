import { insert, integer, type RowOf, replace, table, text } from './table.ts'

/** The table of an object's due work, for Alarms. */
export const timer = table('timer', { kind: text('PRIMARY KEY'), due_at: integer() }, { isWithoutRowid: true })

/** Delay after the first failure of a kind; it doubles with each further one. */
export const firstBackoffMs = 250
const maxBackoffMs = 15_000 // 15 seconds

/** The platform may be this late with an alarm: the watchdog then reports it as lost. */
const lostAfterMs = 30_000 // 30 seconds
/** An alarm that is this late is set again (`renewIfLate`). */
const lateAfterMs = 5_000 // 5 seconds

export type AlarmOptions<Kind extends string> = {
  /** The clock of every due time, in ms. */
  now: () => number
  /** Does the work of one kind. Returns when it is due again (ms), or null if nothing is left to do. */
  run: (kind: Kind) => Promise<number | null>
  /** Receives what `run` threw. The kind runs again after a back-off of 250 ms, doubling to 15 s. */
  onError: (kind: Kind, error: unknown) => void
  /** Called after a kind has run, once for all its runs in a row: for work that follows from it. */
  afterRuns?: (kind: Kind) => void
  /** Work that a crash interrupted is repeated after this long. */
  retryMs: number
  /** How often a kind that stays due runs in a row before the others have their turn. */
  maxRunsInARow: number
}

/**
 * Due work of a Durable Object, by kind: when each is due is kept in the table `timer`, which the object's migrations
 * create, and the object's one alarm is set to the earliest of them.
 *
 * Work runs at least once. Before a kind runs, its row is replaced by a retry row, so a crash repeats the work, and a
 * row that is written meanwhile is run afterwards. A kind never runs twice at the same time.
 *
 * The alarm itself follows the real clock. Due times are translated, so a test that moves `now` does not move it.
 */
export class Alarms<Kind extends string> {
  /** The platform's clock, replaceable in tests. */
  clock = { now: () => Date.now() }
  readonly #storage: DurableObjectStorage
  readonly #options: AlarmOptions<Kind>

  /** The due time the alarm is set to; null if there is none, undefined if unknown, so that the table has to be read. */
  #armedAt: number | null | undefined
  /** When the platform should call `handleAlarm` (ms, by its clock). An instance learns of older alarms by being late. */
  #expectedAt: number
  /** Calls of `handleAlarm` that have not ended. */
  #handling = 0
  /** Kinds whose row is known to be due no later than this: saves a write for each repeated request. */
  readonly #dueBy = new Map<Kind, number>()
  readonly #backoffs = new Map<Kind, { failures: number; until: number }>()
  readonly #running = new Map<Kind, Promise<void>>()
  /** Running kinds that have to run once more. Not stored: after a crash the retry row repeats them anyway. */
  readonly #again = new Set<Kind>()

  constructor(storage: DurableObjectStorage, options: AlarmOptions<Kind>) {
    this.#storage = storage
    this.#options = options
    this.#expectedAt = this.clock.now()
  }

  /** Runs `kind` no later than `at` (ms). Part of the caller's transaction; after a rollback call `afterRollback`. */
  schedule(kind: Kind, at: number): void {
    this.renewIfLate()
    if ((this.#dueBy.get(kind) ?? Number.POSITIVE_INFINITY) <= at) return
    this.#put(kind, at)
    // While it is unknown what the alarm is set to, an earlier row may exist that this one must not override.
    if (this.#armedAt === undefined) this.#arm()
    else if (this.#armedAt === null || at < this.#armedAt) this.#setAlarm(at)
  }

  /**
   * Runs `kind` immediately, or at the end of its back-off. A run in progress is joined and then runs once more. The retry
   * row is written before the first await, so it is stored together with what the caller wrote.
   */
  runNow(kind: Kind): Promise<void> {
    const running = this.#running.get(kind)
    if (running) {
      this.#again.add(kind)
      return running
    }
    const until = this.#backoffs.get(kind)?.until ?? 0
    if (until <= this.#options.now()) return this.#start(kind)
    this.schedule(kind, until)
    return Promise.resolve()
  }

  /** For the object's `alarm()`: runs what is due, one kind after the other, then sets the next alarm. */
  async handleAlarm(): Promise<void> {
    this.#armedAt = undefined
    this.#handling += 1
    try {
      for (const kind of this.#dueKinds()) {
        // Started by runNow and not finished: only its protection against a crash is extended.
        if (this.#running.has(kind)) this.#putRetry(kind)
        else await this.#start(kind)
      }
    } finally {
      this.#handling -= 1
      this.#arm()
    }
  }

  /**
   * Sets the alarm again if the platform is late with it, or has lost it. Reads nothing unless it is. `schedule` does the
   * same; call this when somebody looks at the work. Not during a restore, whose own alarm it could delete.
   */
  renewIfLate(): void {
    const isLate = this.clock.now() - this.#expectedAt >= lateAfterMs
    if (!isLate || this.#armedAt === null || this.#handling > 0) return
    this.#expectedAt = this.clock.now()
    this.#armedAt = undefined
    this.#arm()
  }

  /** The run of `kind` in progress; undefined if there is none. */
  inProgress(kind: Kind): Promise<void> | undefined {
    return this.#running.get(kind)
  }

  /** When the first kind is due (ms); null if none is. */
  nextAt(): number | null {
    return earliest(...this.#rows().map((row) => row.due_at))
  }

  /** Call after a transaction that called `schedule` was rolled back, since its writes are gone. */
  afterRollback(): void {
    this.#armedAt = undefined
    this.#dueBy.clear()
  }

  /** For a watchdog: true if something has been due for half a minute without an alarm that will run it. */
  async isLost(): Promise<boolean> {
    const nextAt = this.nextAt()
    if (nextAt === null || this.#options.now() - nextAt < lostAfterMs) return false
    const alarmAt = await this.#storage.getAlarm()
    return alarmAt === null || this.clock.now() - alarmAt >= lostAfterMs
  }

  /** For a watchdog: ends all back-offs and sets the alarm from the table, regardless of its believed state. */
  reset(): void {
    for (const backoff of this.#backoffs.values()) backoff.until = 0
    this.#armedAt = undefined
    this.#arm()
  }

  #start(kind: Kind): Promise<void> {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec('DELETE FROM timer WHERE kind = ?', kind)
      this.#putRetry(kind)
    })
    this.#dueBy.delete(kind)
    this.#arm()
    const run = this.#runWhileDue(kind)
    this.#running.set(kind, run)
    return run
  }

  /** Writes to the table once for all runs in a row: each write is a commit to disk. */
  async #runWhileDue(kind: Kind): Promise<void> {
    try {
      let nextAt: number | null
      let runs = 0
      do {
        this.#again.delete(kind)
        const returned = await this.#runOnce(kind)
        nextAt = this.#dueAfter(kind, returned)
        runs += 1
      } while (runs < this.#options.maxRunsInARow && nextAt !== null && nextAt <= this.#options.now())
      this.#storage.transactionSync(() => {
        this.#storage.sql.exec('DELETE FROM timer WHERE kind = ?', retryOf(kind))
        if (nextAt !== null) this.#put(kind, nextAt)
      })
    } finally {
      this.#running.delete(kind)
      this.#arm()
      this.#options.afterRuns?.(kind)
    }
  }

  async #runOnce(kind: Kind): Promise<number | null> {
    try {
      const nextAt = await this.#options.run(kind)
      this.#backoffs.delete(kind)
      return nextAt
    } catch (error) {
      this.#options.onError(kind, error)
      const failures = this.#backoffs.get(kind)?.failures ?? 0
      const until = this.#options.now() + Math.min(firstBackoffMs * 2 ** failures, maxBackoffMs)
      this.#backoffs.set(kind, { failures: failures + 1, until })
      return null
    }
  }

  /** When a kind is due after a run that returned `nextAt`. After a failure only its back-off counts. */
  #dueAfter(kind: Kind, nextAt: number | null): number | null {
    const backoff = this.#backoffs.get(kind)
    if (backoff) return backoff.until
    return this.#again.has(kind) ? this.#options.now() : nextAt
  }

  #put(kind: Kind, at: number): void {
    const onConflict = 'ON CONFLICT (kind) DO UPDATE SET due_at = min(due_at, excluded.due_at)'
    insert(this.#storage.sql, timer, { kind, due_at: at }, onConflict)
    this.#dueBy.set(kind, at)
  }

  #putRetry(kind: Kind): void {
    const row = { kind: retryOf(kind), due_at: this.#options.now() + this.#options.retryMs }
    replace(this.#storage.sql, timer, row)
  }

  /** Longest overdue first. */
  #dueKinds(): Set<Kind> {
    const now = this.#options.now()
    const due = this.#rows().filter((row) => row.due_at <= now)
    return new Set(due.map((row) => row.kind.replace(/^retry:/, '') as Kind))
  }

  #rows(): RowOf<typeof timer>[] {
    return this.#storage.sql.exec<RowOf<typeof timer>>('SELECT * FROM timer ORDER BY due_at').toArray()
  }

  /** Sets the alarm to the earliest row. The row of a running kind does not count until its run has ended. */
  #arm(): void {
    const rows = this.#rows().filter((row) => !this.#running.has(row.kind as Kind))
    const next = earliest(...rows.map((row) => row.due_at))
    if (next === this.#armedAt) return
    if (next === null) {
      this.#armedAt = null
      void this.#storage.deleteAlarm()
    } else this.#setAlarm(next)
  }

  #setAlarm(at: number): void {
    this.#armedAt = at
    this.#expectedAt = this.clock.now() + Math.max(0, at - this.#options.now())
    void this.#storage.setAlarm(this.#expectedAt)
  }
}

const retryOf = (kind: string) => `retry:${kind}`

/** The earliest of some due times (ms); null if none of them is set. */
export function earliest(...times: readonly (number | null)[]): number | null {
  const set = times.filter((time) => time !== null)
  return set.length > 0 ? Math.min(...set) : null
}
