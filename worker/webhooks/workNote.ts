import { primaryDb } from '../db/d1.ts'
import { writeWebhookWork } from '../db/watchdog.ts'
import { logError } from '../observability/log.ts'

/** The time in D1 may be off by this much: the cron wakes a sender that is two minutes late. */
const slackMs = 60_000 // 1 minute

/** Writes to D1 when this sender is due next, so that the cron notices a lost alarm. */
export class WorkNote {
  readonly #db: D1Database
  readonly #userId: string
  /** The value in D1; undefined if unknown, as after an eviction. */
  #noted: number | null | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(db: D1Database, userId: string) {
    this.#db = db
    this.#userId = userId
  }

  /** `dueAt` is in ms, null if nothing is waiting. Under load, writes at most once a minute. Never throws. */
  write(dueAt: number | null): Promise<void> {
    const noted = this.#noted
    const isClose = dueAt === null || noted == null ? dueAt === noted : Math.abs(dueAt - noted) < slackMs
    if (isClose) return this.#writing
    this.#noted = dueAt
    // Writes run one after the other, so that D1 keeps the last one.
    this.#writing = this.#writing.then(async () => {
      try {
        await writeWebhookWork(primaryDb(this.#db), this.#userId, dueAt)
      } catch (error) {
        this.#noted = undefined
        logError('watchdog_row_not_written', { user: this.#userId, object: 'webhooks' }, error)
      }
    })
    return this.#writing
  }
}
