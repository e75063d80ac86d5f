import type { ChainId } from '../../../chain/types.ts'
import { logError } from '../../../observability/log.ts'
import type { JobRef } from '../../../relayer/api.ts'
import type { Context } from '../../core/context.ts'
import { relayerOf } from '../../core/relayers.ts'
import { jobId } from './jobs.ts'
import { applyReports } from './reports.ts'
import { submitDueJobs, submitSignedPayments } from './submitJobs.ts'

/** Under load, jobs are gathered for this long and submitted together. */
const gatherMs = 50
/** When the settle alarm repeats a round that failed. */
const retryMs = 1_000 // 1 second

/**
 * Submits jobs to the Relayers in the background, one round at a time: jobs that arrive during a round go into the next.
 * The settle alarm makes up for a lost round.
 */
export class Submissions {
  readonly #context: Context
  readonly #waitUntil: (work: Promise<unknown>) => void
  #round: Promise<void> | null = null
  #again = false
  /** The next round also submits what the tables show as due, not only payments that were just signed. */
  #fromTables = false
  #submittedAt = 0

  constructor(context: Context, waitUntil: (work: Promise<unknown>) => void) {
    this.#context = context
    this.#waitUntil = waitUntil
  }

  start({ fromTables }: { fromTables: boolean }): void {
    this.#again = true
    this.#fromTables ||= fromTables
    if (this.#round) return
    this.#round = this.#run().finally(() => {
      this.#round = null
      if (this.#again) this.start({ fromTables: false })
    })
    this.#waitUntil(this.#round)
  }

  async #run(): Promise<void> {
    try {
      while (this.#again) {
        // The first job after a quiet period does not wait.
        if (this.#context.now() - this.#submittedAt < gatherMs * 2) await scheduler.wait(gatherMs)
        const fromTables = this.#fromTables
        this.#again = false
        this.#fromTables = false
        await submitSignedPayments(this.#context)
        if (fromTables) await submitDueJobs(this.#context)
        this.#submittedAt = this.#context.now()
      }
    } catch (error) {
      logError('jobs_not_submitted', { user: this.#context.userId }, error)
      this.#again = false
      this.#context.schedule('settle', this.#context.now() + retryMs)
    }
  }

  /**
   * Waits for the current round to end, then up to `ms` for the transaction hash of a job. `ref` is called after the
   * round and returns null if there is nothing to wait for. Never throws: nothing depends on showing the hash early.
   */
  async waitForHash(chainId: ChainId, ref: () => JobRef | null, ms: number): Promise<void> {
    await this.#round
    const awaited = ref()
    if (!awaited) return
    try {
      const report = await relayerOf(this.#context, chainId).wait(jobId(awaited), ms)
      if (report) applyReports(this.#context, [report])
    } catch (error) {
      logError('relayer_did_not_respond', { user: this.#context.userId, chain: chainId }, error)
    }
  }

  /** Submits everything that is due and waits for the hash of one of the jobs. */
  async submitAndWait(chainId: ChainId, ref: () => JobRef | null, ms: number): Promise<void> {
    this.start({ fromTables: true })
    await this.waitForHash(chainId, ref, ms)
  }
}
