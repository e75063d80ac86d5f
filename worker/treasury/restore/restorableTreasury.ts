import { noteFrozen } from '../../db/userRestores.ts'
import { TreasuryObject } from '../treasuryObject.ts'
import type * as Api from './api.ts'
import { platformSnapshots, type Snapshots } from './snapshots.ts'
import { restoreState } from './state.ts'
import { continueRestore, dryRestore, freeze, isSent, unfreeze } from './steps.ts'

/** RPC calls that put this object back to an earlier time. They work while the object refuses everything else. */
export abstract class RestorableTreasury extends TreasuryObject implements Api.RestoreCalls {
  #isLeaving = false
  #turn: Promise<unknown> = Promise.resolve()
  /** Replaced in tests, because a developer's machine has no platform snapshots. */
  snapshots = (): Snapshots => platformSnapshots(this.ctx.storage)

  async freezeForRestore(id: string, isFirst: boolean) {
    const context = this.closeForRestore(id)
    return this.#inTurn(() => freeze(context, id, isFirst))
  }
  async goBack(id: string, at: number, evenIfNotSent: boolean) {
    const { store, db, userId, now } = this.restoreContext
    const state = restoreState(store)
    // An object that was already put back may go back again, to another time, until it has begun to open.
    if (state?.id !== id || state.stage === 'end') throw new Error('the account is not frozen')
    const isUntouched = state.stage === 'frozen' || state.stage === 'found'
    if (isUntouched && !evenIfNotSent && !isSent(store)) return { isSent: false }
    this.closeForRestore(id)
    await this.#leave(async () => {
      // So that the object of the earlier time is never mistaken for this one.
      await noteFrozen(db, userId, now())
      await this.snapshots().goBack(at)
      this.ctx.abort('the object goes back to an earlier time')
    })
    return { isSent: true }
  }
  async dryRestore(id: string) {
    return dryRestore(this.closeForRestore(id), id)
  }
  async continueRestore(input: Parameters<Api.RestoreCalls['continueRestore']>[0]) {
    return this.#inTurn(async () => {
      this.#stay()
      const progress = await continueRestore(this.closeForRestore(input.id), input)
      if (progress.step === 'done') await this.reload()
      return progress
    })
  }
  async unfreeze(id: string) {
    return this.#leave(() =>
      this.#inTurn(async () => {
        if (!(await unfreeze(this.restoreContext, id))) return { isOpen: false }
        await this.reload()
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
