import { RpcTarget } from 'cloudflare:workers'
import { recordFrozen } from '../../db/userRestores.ts'
import type { Context } from '../core/context.ts'
import type { Accepted } from './rpcTypes.ts'
import type { Snapshots } from './snapshots.ts'
import { restoreState } from './state.ts'
import { continueRestore, dryRestore, freeze, isSent, unfreeze } from './steps.ts'

/** What a restore needs of the object. */
type Parts = {
  /** The context that works while the object refuses everything else. */
  context: () => Context
  /** Refuses everything except the restore from now on, unless it has ended here. */
  close: (id: string) => Context
  /** Discards what is in memory from before the restore. */
  reload: () => Promise<void>
  abort: (why: string) => void
  snapshots: () => Snapshots
}

/** Puts this object back to an earlier time. */
export class Restore extends RpcTarget {
  readonly #parts: Parts
  #isLeaving = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  /**
   * Stops everything immediately and sends what History lacks. `isFirst`: no object has confirmed this freeze yet. `isSent`:
   * History has everything that was accepted here, and D1 the links. `isAnother`: the object that confirmed the freeze was put back, and this one is
   * from an earlier time. `isEnded`: this freeze has ended here but D1 does not know; nothing is stopped.
   */
  async freeze(id: string, isFirst: boolean) {
    const context = this.#parts.close(id)
    return this.#inTurn(() => freeze(context, id, isFirst))
  }
  /**
   * Puts the object back to this time (ms) and reloads it, which this call does not survive. `isSent` is false if History lacks
   * something of the object, which then stays as it is. Throws if the platform has no such backups.
   */
  async goBack(id: string, at: number, evenIfNotSent: boolean) {
    const context = this.#parts.context()
    const { store, db, userId, now } = context
    const hasSent = evenIfNotSent || (await isSent(context))
    const state = restoreState(store)
    // An object that was already put back may go back again, to another time, until it has begun to open.
    if (state?.id !== id || state.stage === 'end') throw new Error('the account is not frozen')
    const isUntouched = state.stage === 'frozen' || state.stage === 'found'
    if (isUntouched && !hasSent) return { isSent: false }
    this.#parts.close(id)
    await this.#leave(async () => {
      // So that the object of the earlier time is never mistaken for this one.
      await recordFrozen(db, userId, now())
      await this.#parts.snapshots().goBack(at)
      this.#parts.abort('the object goes back to an earlier time')
    })
    return { isSent: true }
  }
  /** Returns what would change on an object that was put back. Changes nothing. */
  async dryRun(id: string) {
    return dryRestore(this.#parts.close(id), id)
  }
  /** Does one bounded step. Safe to repeat and to interrupt. `accept` accepts this list of what is unexplained. */
  async continue(input: { id: string; frozenAt: number | null; startedAt: number; accept: Accepted | null }) {
    return this.#inTurn(async () => {
      this.#stay()
      const progress = await continueRestore(this.#parts.close(input.id), input)
      if (progress.step === 'done') await this.#parts.reload()
      return progress
    })
  }
  /** Ends a freeze of an object that was not put back. */
  async unfreeze(id: string) {
    return this.#leave(() =>
      this.#inTurn(async () => {
        if (!(await unfreeze(this.#parts.context(), id))) return { isOpen: false }
        await this.#parts.reload()
        return { isOpen: true }
      }),
    )
  }
  /** Runs calls one after the other, so that each starts with what the previous one has stored. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(work, work)
    this.#turn = run
    return run
  }
  /**
   * Allows one way out of the freeze at a time: an object opened while it is being put back would not know that it was.
   */
  async #leave<T>(work: () => Promise<T>): Promise<T> {
    this.#stay()
    this.#isLeaving = true
    try {
      return await work()
    } finally {
      this.#isLeaving = false
    }
  }
  #stay(): void {
    if (this.#isLeaving) throw new Error('the account is being put back or unfrozen: try again in a minute')
  }
}
