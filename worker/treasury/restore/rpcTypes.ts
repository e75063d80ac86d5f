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
