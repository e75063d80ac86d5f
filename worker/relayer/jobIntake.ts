import { isAddress, isHex } from 'viem/utils'
import { insert, type RowOf } from '../durable/table.ts'
import type { RelayJob, SubmitResult } from './api.ts'
import type { JobQueue } from './jobQueue.ts'
import { frozen as frozenTable, guard as guardTable } from './tables.ts'

/** Decides which submitted jobs enter the queue. Every reason to refuse one is here. Callers open the transaction. */
export class JobIntake {
  readonly #sql: SqlStorage
  readonly #queue: JobQueue
  readonly #isFull: () => boolean

  constructor(sql: SqlStorage, queue: JobQueue, isFull: () => boolean) {
    this.#sql = sql
    this.#queue = queue
    this.#isFull = isFull
  }

  submit(jobs: readonly RelayJob[], now: number): SubmitResult {
    const result: SubmitResult = { accepted: [], refused: [] }
    const known = this.#queue.knownIds(jobs.map((job) => job.id))
    if (known.size > 0) this.#queue.reopenMined([...known], now)
    const contents = this.#acceptedContents(jobs.flatMap((job) => job.guard?.scope ?? []))
    const intake = { frozen: this.#frozenUsers(), contents, isFull: this.#isFull() }
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
      this.#keepContent(job.guard, job.deadline)
      contents.set(job.guard.scope, job.guard.content)
    }
    this.#queue.add(job, now)
  }

  /**
   * The content first accepted under each scope: two contents of one scope would be a double payment. Unknown scopes are
   * left out.
   */
  #acceptedContents(scopes: readonly string[]): Map<string, string> {
    const rows = this.#sql.exec<Pick<RowOf<typeof guardTable>, 'scope' | 'content'>>(
      'SELECT scope, content FROM guard WHERE scope IN (SELECT value FROM json_each(?))',
      JSON.stringify(scopes),
    )
    return new Map(rows.toArray().map((row) => [row.scope, row.content]))
  }

  /** Keeps the content at least until the deadline (unix seconds). For a known scope only the deadline can change. */
  #keepContent({ scope, content }: NonNullable<RelayJob['guard']>, deadline: number): void {
    const onConflict = 'ON CONFLICT (scope) DO UPDATE SET max_deadline = max(max_deadline, excluded.max_deadline)'
    insert(this.#sql, guardTable, { scope, content, max_deadline: deadline }, onConflict)
  }

  #frozenUsers(): Set<string> {
    const rows = this.#sql.exec<RowOf<typeof frozenTable>>('SELECT * FROM frozen').toArray()
    return new Set(rows.map((row) => row.user_id))
  }

  /** Drops the user's waiting jobs and refuses new ones. */
  freeze(userId: string, now: number): void {
    insert(this.#sql, frozenTable, { user_id: userId }, 'ON CONFLICT DO NOTHING')
    this.#queue.dropOfUser(userId, 'frozen', now)
  }

  /** Forgets the jobs that freezing dropped, so that the same ids can be submitted again. */
  unfreeze(userId: string): void {
    this.#sql.exec('DELETE FROM frozen WHERE user_id = ?', userId)
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

/** Why a job cannot be encoded; null if it can. One malformed job in a batch would fail the whole batch. */
export function validateJob(job: RelayJob): 'malformed' | null {
  const isValid =
    isAddress(job.target, { strict: false }) &&
    isHex(job.data) &&
    job.data.length % 2 === 0 &&
    Number.isSafeInteger(job.deadline) &&
    (!job.packed || isValidSend(job.packed))
  return isValid ? null : 'malformed'
}

/** Every field has to fit the bytes that batchEncoding.ts gives it. */
function isValidSend({ wallet, to, amount, nonce, deadline, r, vs }: NonNullable<RelayJob['packed']>): boolean {
  return (
    isAddress(wallet, { strict: false }) &&
    isAddress(to, { strict: false }) &&
    isUint64(amount) &&
    isUint64(nonce) &&
    Number.isSafeInteger(deadline) &&
    deadline >= 0 &&
    deadline < 2 ** 48 &&
    isWord(r) &&
    isWord(vs)
  )
}

const isWord = (value: unknown) => isHex(value) && value.length === 66
const isUint64 = (text: string) => /^[0-9]{1,20}$/.test(text) && BigInt(text) < 2n ** 64n
