import { type Context, isNodeTrouble, type TimerKind } from './context.ts'
import { BooksDiffer } from './scan.ts'

/** A timer whose work was cut off by a crash is repeated after this. */
const retryMs = 20_000 // 20 seconds

/** What is due when, kept in the `timer` table; the object's one alarm stands at the earliest. */
export class Timers {
  readonly #storage: DurableObjectStorage
  readonly #context: () => Context
  readonly #run: (kind: TimerKind) => Promise<number | null>
  #alarmAt: number | null = null
  /** When each timer is due (ms), as far as known without reading; forgotten on rollback. */
  readonly #due = new Map<TimerKind, number>()
  readonly #failures = new Map<TimerKind, number>()

  /** `run` does the work of one kind and answers when it is due again (ms), null when nothing is left to do. */
  constructor(storage: DurableObjectStorage, context: () => Context, run: (kind: TimerKind) => Promise<number | null>) {
    this.#storage = storage
    this.#context = context
    this.#run = run
  }

  /** The alarm has fired, or nobody knows any more where it stands. */
  disarmed(): void {
    this.#alarmAt = null
  }

  /** A transaction was rolled back: what was noted in it is gone. */
  forget(): void {
    this.#alarmAt = null
    this.#due.clear()
  }

  /**
   * A timer is taken off the table before its work and a retry is left there instead: a crash repeats the work, and
   * a wake that arrives meanwhile is not slept through.
   */
  async runDue(): Promise<void> {
    const { store, now } = this.#context()
    for (const { kind: row } of store.all<{ kind: string }>(
      'SELECT kind FROM timer WHERE due_at <= ? ORDER BY due_at',
      now(),
    )) {
      const kind = row.replace(/^retry:/, '') as TimerKind
      const retry = `retry:${kind}`
      store.transaction(() => {
        store.run('DELETE FROM timer WHERE kind IN (?, ?)', kind, retry)
        this.#due.delete(kind)
        store.run('INSERT INTO timer (kind, due_at) VALUES (?, ?)', retry, now() + retryMs)
      })
      let nextAt: number | null
      try {
        nextAt = await this.#run(kind)
        this.#failures.delete(kind)
      } catch (error) {
        if (!isNodeTrouble(error) || error instanceof BooksDiffer) console.error(`timer ${kind} failed`, error)
        const failures = (this.#failures.get(kind) ?? 0) + 1
        this.#failures.set(kind, failures)
        nextAt = now() + Math.min(15_000, 250 * 2 ** Math.min(failures, 6))
      }
      store.transaction(() => {
        store.run('DELETE FROM timer WHERE kind = ?', retry)
        if (nextAt !== null) this.wake(kind, nextAt)
      })
    }
  }

  /** Ask for `kind` no later than `at`; part of the transaction that needs it. */
  wake(kind: TimerKind, at: number): void {
    if ((this.#due.get(kind) ?? Number.POSITIVE_INFINITY) <= at) return
    this.#due.set(kind, at)
    this.#context().store.run(
      'INSERT INTO timer (kind, due_at) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET due_at = min(due_at, excluded.due_at)',
      kind,
      at,
    )
    if (this.#alarmAt === null || at < this.#alarmAt) {
      this.#alarmAt = at
      void this.#storage.setAlarm(at)
    }
  }

  next(): number | null {
    return this.#context().store.first<{ at: number | null }>('SELECT min(due_at) AS at FROM timer')?.at ?? null
  }

  async arm(): Promise<void> {
    const next = this.next()
    if (next === null) return
    this.#alarmAt = next
    await this.#storage.setAlarm(next)
  }
}
