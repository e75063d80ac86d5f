export type TimerKind = 'work' | 'tell' | 'prune'

/** Due work by kind, and the object's one alarm at the earliest of it. Times are the injected clock's ms. */
export class Timers {
  readonly #storage: DurableObjectStorage

  /** What the object's alarm is set to, as far as known: null after it fired. */
  #armed: number | null = null

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  set(kind: TimerKind, at: number | null): void {
    if (at === null) this.#storage.sql.exec('DELETE FROM timer WHERE kind = ?', kind)
    else this.#storage.sql.exec('INSERT OR REPLACE INTO timer (kind, due_at) VALUES (?, ?)', kind, at)
  }

  atLatest(kind: TimerKind, at: number): void {
    this.#storage.sql.exec(
      'INSERT INTO timer (kind, due_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET due_at = min(due_at, excluded.due_at)',
      kind,
      at,
    )
  }

  due(now: number): TimerKind[] {
    return this.#storage.sql
      .exec<{ kind: TimerKind }>('SELECT kind FROM timer WHERE due_at <= ?', now)
      .toArray()
      .map(({ kind }) => kind)
  }

  arm(now: number): void {
    const { due } = this.#storage.sql.exec<{ due: number | null }>('SELECT min(due_at) AS due FROM timer').one()
    if (due === this.#armed) return
    this.#armed = due
    if (due === null) void this.#storage.deleteAlarm()
    else void this.#storage.setAlarm(Date.now() + Math.max(0, due - now))
  }

  /** The alarm went off, or a transaction that set it was undone. */
  disarmed(): void {
    this.#armed = null
  }
}
