/**
 * Which alerts to send: one when a condition has lasted from one check to the next, one when it is over. A condition that is
 * seen once is often a node that was slow for a moment.
 */

/** Something that is wrong now. `key` is stable while it lasts; `text` is for operators. */
export type Condition = { key: string; text: string }

/** `unknown`: keys of conditions that could not be looked at; what is known of them stays as it is. */
export type Observation = { conditions: Condition[]; unknown: string[] }

/** What is stored of a condition. Times in ms. */
export type AlertRow = {
  key: string
  text: string
  since: number
  /** When its start was announced; null: not yet. */
  announcedAt: number | null
}

export type AlertPlan = {
  /** Seen for the first time: to be stored. */
  seen: AlertRow[]
  /** Still there: to be announced. */
  start: AlertRow[]
  /** Over, and announced before: to be announced as ended. */
  end: AlertRow[]
  /** Over before anybody heard of it. */
  forget: AlertRow[]
}

export function planAlerts(known: AlertRow[], { conditions, unknown }: Observation, now: number): AlertPlan {
  const knownKeys = new Set(known.map(({ key }) => key))
  const currentByKey = new Map(conditions.map((condition) => [condition.key, condition]))
  const over = known.filter(({ key }) => !currentByKey.has(key) && !unknown.includes(key))
  return {
    seen: [...currentByKey.values()]
      .filter(({ key }) => !knownKeys.has(key))
      .map((condition) => ({ ...condition, since: now, announcedAt: null })),
    start: known.flatMap((row) => {
      const condition = currentByKey.get(row.key)
      return condition && row.announcedAt === null ? [{ ...row, text: condition.text }] : []
    }),
    end: over.filter(({ announcedAt }) => announcedAt !== null),
    forget: over.filter(({ announcedAt }) => announcedAt === null),
  }
}
