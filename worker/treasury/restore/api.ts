/** Something that the restore cannot explain. The account stays frozen until an operator accepts it. */
export type Unexplained = { what: string; ref: string; detail: string }

/**
 * frozen: does nothing, and has not been put back yet. waiting: waits until no earlier signature can be executed. importing:
 * reads what has happened since. unexplained: an operator has to decide. done: the account works again.
 */
export type RestoreStep = 'frozen' | 'waiting' | 'importing' | 'unexplained' | 'done'

export type RestoreProgress = {
  step: RestoreStep
  /** What is done next or was done last, in plain language. */
  doing: string
  /** While waiting: finalized blocks must be later than this (unix seconds); they are at `finalAt`. */
  until?: number
  finalAt?: number
  counts: Record<string, number>
  unexplained: Unexplained[]
  /** While unexplained: a name for exactly this list, so that an operator accepts what was shown. Otherwise null. */
  list: string | null
}

/** The operator who accepts, and the name of the list that was shown. */
export type Accepted = { by: string; list: string }

export type Frozen = { isSent: boolean; isAnother: boolean; isEnded: boolean }

/** The calls with which operators put this Treasury back to an earlier time; part of TreasuryApi. */
export interface RestoreCalls {
  /**
   * Stops everything immediately and sends what D1 lacks. `isFirst`: no object has confirmed this freeze yet. `isSent`: D1
   * has everything that was accepted here. `isAnother`: the object that confirmed the freeze was put back, and this one is
   * from an earlier time. `isEnded`: this freeze has ended here but D1 does not know; nothing is stopped.
   */
  freezeForRestore(id: string, isFirst: boolean): Promise<Frozen>
  /**
   * Puts the object back to this time (ms) and reloads it, which this call does not survive. `isSent` is false if D1 lacks
   * something of the object, which then stays as it is. Throws if the platform has no such backups.
   */
  goBack(id: string, at: number, evenIfNotSent: boolean): Promise<{ isSent: boolean }>
  /** Returns what would change on an object that was put back. Changes nothing. */
  dryRestore(id: string): Promise<RestoreProgress>
  /** Does one bounded step. Safe to repeat and to interrupt. `accept` accepts this list of what is unexplained. */
  continueRestore(input: {
    id: string
    frozenAt: number | null
    startedAt: number
    accept: Accepted | null
  }): Promise<RestoreProgress>
  /** Ends a freeze of an object that was not put back. */
  unfreeze(id: string): Promise<{ isOpen: boolean }>
}
