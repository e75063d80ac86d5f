import type { RelayJob, SubmitResult } from './api.ts'
import { ContentGuard } from './contentGuard.ts'
import { FrozenUsers } from './frozenUsers.ts'
import type { JobQueue } from './jobQueue.ts'
import { validateJob } from './validateJob.ts'

/** Decides which submitted jobs enter the queue. Every reason to refuse one is here. Callers open the transaction. */
export class JobIntake {
  readonly #queue: JobQueue
  readonly #guard: ContentGuard
  readonly #frozen: FrozenUsers
  readonly #isFull: () => boolean

  constructor(sql: SqlStorage, queue: JobQueue, isFull: () => boolean) {
    this.#isFull = isFull
    this.#queue = queue
    this.#guard = new ContentGuard(sql)
    this.#frozen = new FrozenUsers(sql)
  }

  submit(jobs: readonly RelayJob[], now: number): SubmitResult {
    const result: SubmitResult = { accepted: [], refused: [] }
    const known = this.#queue.knownIds(jobs.map((job) => job.id))
    if (known.size > 0) this.#queue.reopenMined([...known], now)
    const contents = this.#guard.contentsOf(jobs.flatMap((job) => job.guard?.scope ?? []))
    const intake = { frozen: this.#frozen.all(), contents, isFull: this.#isFull() }
    for (const job of jobs) {
      if (!known.has(job.id)) {
        const reason = refusalReason(job, intake)
        if (reason !== null) {
          result.refused.push({ id: job.id, reason })
          continue
        }
        this.#accept(job, contents, now)
        known.add(job.id)
      }
      result.accepted.push(job.id)
    }
    return result
  }

  #accept(job: RelayJob, contents: Map<string, string>, now: number): void {
    if (job.guard) {
      // Under a known scope an older signature of the same intent may be waiting.
      if (contents.has(job.guard.scope)) this.#queue.supersede(job.guard.scope, now)
      this.#guard.add({ guard: job.guard, deadline: job.deadline })
      contents.set(job.guard.scope, job.guard.content)
    }
    this.#queue.add(job, now)
  }

  /** Drops the user's waiting jobs and refuses new ones. */
  freeze(userId: string, now: number): void {
    this.#frozen.add(userId)
    this.#queue.dropOfUser(userId, 'frozen', now)
  }

  /** Forgets the jobs that freezing dropped, so that the same ids can be submitted again. */
  unfreeze(userId: string): void {
    this.#frozen.remove(userId)
    this.#queue.forgetDropped(userId, 'frozen')
  }
}

/** Further steps of accepted payments, and exits of owners: accepted even when the storage is full. */
const followUps: ReadonlySet<RelayJob['kind']> = new Set(['announce', 'claim', 'reclaim', 'exit'])

/** `contents`: what was accepted before, by scope. */
type Intake = { frozen: ReadonlySet<string>; contents: ReadonlyMap<string, string>; isFull: boolean }

/** Null if the job can be accepted. */
function refusalReason(job: RelayJob, { frozen, contents, isFull }: Intake): string | null {
  if (frozen.has(job.userId)) return 'frozen'
  const malformed = validateJob(job)
  if (malformed) return malformed
  const content = job.guard && contents.get(job.guard.scope)
  // A newer signature of a known intent is not new work.
  if (isFull && content === undefined && !followUps.has(job.kind)) return 'full'
  return content === undefined || content === job.guard?.content
    ? null
    : 'guard: different content is known under this scope'
}
