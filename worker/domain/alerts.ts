/**
 * Decides which alerts to send: one when a condition has lasted from one check to the next, and one when it ends. A
 * condition seen only once is often just a slow node.
 */

/** Something that is wrong now. `key` is stable while it lasts; `text` is for operators. */
type Condition = { key: string; text: string }

/** `unknown` has the keys of conditions that could not be checked; their stored state is kept. */
export type Observation = { conditions: Condition[]; unknown: string[] }

/** A stored condition. Times in ms. */
export type AlertRow = {
  key: string
  text: string
  since: number
  /** When its start was announced; null if it has not been. */
  announcedAt: number | null
}

type AlertPlan = {
  /** Seen for the first time; to be stored. */
  seen: AlertRow[]
  /** Still present and not announced yet; to be announced. */
  start: AlertRow[]
  /** Ended after their start was announced; the end is to be announced. */
  end: AlertRow[]
  /** Ended before they were announced; to be deleted silently. */
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

/**
 * Kinds of trouble inside a Durable Object. `wallet_halted`: Bursar stopped a wallet. `account_size`: a Treasury is near its
 * storage limit. `history_late`: a History has not had all changes of its Treasury for some time, or has others. `alarm_lost`: an
 * object had work but no alarm; the cron has re-armed it. `schema_newer`: newer code has migrated an object's database, so the
 * running code must not use it.
 */
export const troubleKinds = ['wallet_halted', 'account_size', 'history_late', 'alarm_lost', 'schema_newer'] as const
export type TroubleKind = (typeof troubleKinds)[number]
