import type { MicroUsdc } from '#domain/money.ts'
import type { ChainId } from '#domain/networks.ts'
import type { SecondPersonSetting } from '#domain/secondPerson.ts'

/** How a value is stored as text. */
type Format<T> = { read: (stored: string) => T; write: (value: T) => string }

const text: Format<string> = { read: (stored) => stored, write: (value) => value }
const whole: Format<number> = { read: Number, write: String }
const flag: Format<boolean> = { read: (stored) => stored === '1', write: (value) => (value ? '1' : '0') }
const json = <T>(): Format<T> => ({
  read: (stored) => JSON.parse(stored) as T,
  write: (value) => JSON.stringify(value),
})
const amount: Format<MicroUsdc> = { read: (stored) => BigInt(stored) as MicroUsdc, write: String }

const storedAmount = (value: MicroUsdc | null) => (value === null ? null : amount.write(value))
const readAmount = (stored: string | null) => (stored === null ? null : amount.read(stored))
const secondPerson: Format<SecondPersonSetting> = {
  read(stored) {
    const { above, next } = JSON.parse(stored) as {
      above: string | null
      next: { above: string | null; at: number } | null
    }
    return { above: readAmount(above), next: next && { above: readAmount(next.above), at: next.at } }
  },
  write: ({ above, next }) =>
    JSON.stringify({ above: storedAmount(above), next: next && { above: storedAmount(next.above), at: next.at } }),
}

/** The values of the account that fit no table, by their key in the table meta. Times in ms. */
export const metaFormats = {
  user_id: text,
  /** All agents of the account are paused. */
  account_paused: flag,
  suspension: json<SuspensionState>(),
  /** Limits that an operator has set for this user, in the format of the setting LIMITS. */
  limits: text,
  /** A restore gives the object a new one, so that its History reads all of it again. Null before the first restore. */
  incarnation: text,
  /** History has the salt of the payouts' keys. */
  salt_kept: flag,
  /** The newest edition sent to D1 and the claim desks. */
  edition: whole,
  /** The user's Relayer shard. */
  shard: whole,
  /** When D1 was last told that this Treasury has work in progress; 0 once it was told that it has none. */
  busy_reported_at: whole,
  /** Operators know that the storage is large. */
  is_large: flag,
  /** Why History does not have all changes. Null if it has them. */
  history_problem: json<HistoryProblem>(),
  /** Since when signing has been stopped. */
  signing_stopped_since: whole,
  /** How old the newest finalized block was when it was last read, by chain. */
  final_age: json<Partial<Record<ChainId, number>>>(),
  /** The UTC month ('YYYY-MM') in which the owner was last told about the month before. */
  month_reported: text,
  /** The newest notice that the owner has seen. */
  notices_read: whole,
  /** The number of the message that collects new approvals, and when the last one was written. */
  approval_batch: whole,
  approval_notice_at: whole,
  /** The audit row up to which changes were in a message to the owner, and when the last one was written. */
  changes_mailed: json<{ seq: number; at: number }>(),
  /** Approving more than this needs the password. */
  approval_password_above: amount,
  /** Above how much in 24 hours a second person is needed (limits/secondPerson.ts). */
  second_person: secondPerson,
  /** The salt of the payouts' keys. */
  payout_salt: text,
  /** The restore in progress, and the last one that ended here. */
  restore: json<OpenRestore>(),
  restored: json<EndedRestore>(),
  /** After a restore, until `until`: an agent's payment that equals one of these transfers asks the owner. */
  watch: json<{ until: number; transfers: { to: string; amount: number }[] }>(),
}

/** `since` is in ms, null if the account is not suspended. `version` rises with each change. */
export type SuspensionState = { since: number | null; version: number }

/** `since` is in ms. `isReported`: operators know. */
export type HistoryProblem = { since: number; detail: string; isReported: boolean }

/**
 * `begun` is set once the object was rolled back: its new incarnation, the time (ms) and number of the last row of its audit
 * log before the freeze.
 */
export type OpenRestore = { id: string; begun: { incarnation: string; asOf: number; audit: number } | null }

/** `asOf` is null if the object was not rolled back. `isWatched`: there is a `watch`. */
export type EndedRestore = { id: string; at: number; asOf: number | null; isWatched: boolean }

type Formats = typeof metaFormats
export type MetaName = keyof Formats
export type MetaValue<Name extends MetaName> = ReturnType<Formats[Name]['read']>
