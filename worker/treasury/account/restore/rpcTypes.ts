import type { RestoreState } from '#schemas/ops.ts'
import type { ChainId } from '../../../chain/types.ts'
import type { RecoverableCursor } from '../../../history/api.ts'

/** Something that the restore cannot explain. The account stays closed until an operator accepts it. */
export type Unexplained = {
  what: 'unrecorded' | 'payment' | 'payout' | 'wallet' | 'salt' | 'books'
  ref: string
  detail: string
}

/** How far a restore has come. D1 keeps it, because the object forgets it when it is rolled back. */
export type Progress = {
  /** Of the rolled-back object; null until its first step. An object with another one was rolled back again. */
  incarnation: string | null
  /** The last deadline of any signature that may exist, in unix seconds by chain. */
  until: Partial<Record<ChainId, number>>
  /** The last payment that was copied. */
  cursor: RecoverableCursor
  /** Wallets whose logs were read. */
  read: string[]
  unexplained: Unexplained[]
}

export const noProgress: Progress = {
  incarnation: null,
  until: {},
  cursor: { createdAt: 0, id: '' },
  read: [],
  unexplained: [],
}

/** The operator who accepts, and the hash of the list that was shown. */
export type Accepted = { by: string; list: string }

/**
 * What D1 has of a restore. Times in ms; `frozenAt` is null if the object never confirmed the freeze. `confirmed`: History's
 * position when it had everything of the object; null if the operator said that the object is lost.
 */
export type StepInput = {
  id: string
  state: RestoreState
  progress: Progress
  startedAt: number
  frozenAt: number | null
  confirmed: string | null
  accept: Accepted | null
}

export type StepResult = {
  state: RestoreState
  progress: Progress
  /** While waiting: finalized blocks must be later than `until` (unix seconds); the newest is from `finalAt`. */
  wait: { until: number; finalAt: number } | null
  /** While an operator has to decide: the hash of `progress.unexplained`. */
  list: string | null
}

/** `confirmed`: see StepInput; null if History lacks something, or has more because this object was rolled back. */
export type Frozen = { confirmed: string | null; isEnded: boolean }
