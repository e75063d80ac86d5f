/** Nobody can say what this is, so the account stays frozen until an operator accepts it. */
export type Unexplained = { what: string; ref: string; detail: string }

/**
 * frozen: does nothing, and was not put back yet. waiting: until no signature from before can be executed. importing: reads what
 * has happened since. unexplained: an operator has to look. done: the account works again.
 */
export type RestoreStep = 'frozen' | 'waiting' | 'importing' | 'unexplained' | 'done'

export type RestoreProgress = {
  step: RestoreStep
  /** What is done next or was done last, in plain words. */
  doing: string
  /** waiting: finalized blocks must be later than this (unix seconds), and are at `finalAt`. */
  until?: number
  finalAt?: number
  counts: Record<string, number>
  unexplained: Unexplained[]
  /** unexplained: names exactly this list, so that an operator accepts what was shown. Otherwise null. */
  list: string | null
}

/** An operator, and the list that was shown. */
export type Accepted = { by: string; list: string }

export type Frozen = { isSent: boolean; isAnother: boolean; isEnded: boolean }

/** What operators use to put this Treasury back to an earlier time; part of TreasuryApi. */
export interface RestoreCalls {
  /**
   * Stops everything at once and sends what D1 lacks. `isFirst`: no object has confirmed this freeze yet. `isSent`: D1 has everything
   * that was accepted here. `isAnother`: the object that confirmed it was put back, and this is one of an earlier time.
   * `isEnded`: this freeze has ended here, and D1 was not told; nothing is stopped.
   */
  freezeForRestore(id: string, isFirst: boolean): Promise<Frozen>
  /**
   * The object goes back to this time (ms) and is loaded again, which this call does not survive. False: D1 lacks something
   * of it, and it stays as it is. Throws where the platform has no such backups.
   */
  goBack(id: string, at: number, evenIfNotSent: boolean): Promise<{ isSent: boolean }>
  /** What would change, on an object that was put back; changes nothing. */
  dryRestore(id: string): Promise<RestoreProgress>
  /** One bounded step. Harmless to repeat and to interrupt. `accept`: accepts this list of what nobody can explain. */
  continueRestore(input: {
    id: string
    frozenAt: number | null
    startedAt: number
    accept: Accepted | null
  }): Promise<RestoreProgress>
  /** Ends a freeze of an object that was not put back. */
  unfreeze(id: string): Promise<{ isOpen: boolean }>
}
