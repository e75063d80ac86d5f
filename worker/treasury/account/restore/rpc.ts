import { RpcTarget } from 'cloudflare:workers'
import type { Context } from '../../core/context.ts'
import type { Frozen, StepInput, StepResult } from './rpcTypes.ts'
import type { Snapshots } from './snapshots.ts'
import { freeze, nextStep, unfreeze } from './steps.ts'

/** What a restore needs of the object. */
type Parts = {
  /** Refuses everything but the restore from now on, unless this one has ended here. Returns the context that still works. */
  close: (id: string) => Context
  /** Discards what is in memory from before the restore. */
  reload: () => Promise<void>
  abort: (why: string) => void
  snapshots: () => Snapshots
}

/** Restores this object from History and the chain after it was rolled back. D1 has the state; calls take turns. */
export class Restore extends RpcTarget {
  readonly #parts: Parts
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  /** Stops everything at once, sends History what it lacks, and asks it whether it has everything. */
  async freeze(id: string): Promise<Frozen> {
    const context = this.#parts.close(id)
    return this.#inTurn(() => freeze(context, id))
  }
  /**
   * Rolls the object back to this time (ms) and reloads it, which this call does not survive. Throws if the platform has no
   * such backups.
   */
  async rollBack(id: string, at: number): Promise<void> {
    if (this.#parts.close(id).store.meta('restore')?.id !== id) throw new Error('the account is not frozen')
    await this.#parts.snapshots().goBack(at)
    this.#parts.abort('the object is rolled back')
  }
  /** Does one step. Safe to repeat and to interrupt. */
  async step(input: StepInput): Promise<StepResult> {
    return this.#inTurn(async () => {
      const result = await nextStep(this.#parts.close(input.id), input)
      if (result.state === 'open' || result.state === 'open_watched') await this.#parts.reload()
      return result
    })
  }
  /** Ends a freeze of an object that was not rolled back. */
  async unfreeze(id: string): Promise<{ isOpen: boolean }> {
    return this.#inTurn(async () => {
      const isOpen = await unfreeze(this.#parts.close(id), id)
      if (isOpen) await this.#parts.reload()
      return { isOpen }
    })
  }
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(work, work)
    this.#turn = run
    return run
  }
}
