import { z } from 'zod'
import type { Actor } from '#domain/actor.ts'
import { type ChangeEvent, type ChangeKind, changeKindNames } from '#domain/events.ts'
import { endedAtOnce } from '#domain/limits.ts'
import { inOrder, instant, list, wholeNumber } from './lists.ts'
import type { NoticeSubject } from './notice.ts'

export const changesPerPage = 50
/** The most in one call, for exports: a few milliseconds of work. */
export const changesAtOnce = 100

const filter = z.strictObject({
  /** One or more of changeKinds, separated by commas. */
  kind: list(changeKindNames).optional(),
  /** Who acted: the id of an actor of an earlier reply. */
  by: z.string().min(1).max(64).optional(),
  from: instant.optional(),
  to: instant.optional(),
  /** Of the last 30 days, what left something that acts from then on, and still does. */
  made: z.literal('true', 'made must be true, or left out').optional(),
})
/** GET /changes/export */
export const ChangesFilter = filter.superRefine(inOrder)
/** GET /changes. Newest first. `before`: the last id of the page before. */
export const ChangesQuery = filter
  .extend({ before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional() })
  .superRefine(inOrder)
/** Times in ms; `to` is exclusive. */
export type ChangesWanted = z.output<typeof ChangesFilter>

/**
 * `id`: as filters name them. `name` is that of an agent or a member; null for others. `unknown`: it was not recorded, or is
 * no longer known.
 */
export type ChangeActor = {
  id: string
  type: 'owner' | 'member' | 'agent' | 'operator' | 'recipient' | 'bursar' | 'unknown'
  name: string | null
}
/** One row of the owner's history of changes. Ids only rise. */
export type Change = {
  id: number
  event: ChangeEvent
  kind: ChangeKind
  at: string
  by: ChangeActor
  via: Actor['via']
  text: string
  detail: string | null
  subject: NoticeSubject | null
}
/** `next`: the value of `before` for the next page. `actors`: everybody in the history, on the first page alone. */
export type ChangeList = { changes: Change[]; next: number | null; actors?: ChangeActor[] }

/** Rows of the log in one call, for its file: a few milliseconds of work. */
export const logAtOnce = 500
/** GET /audit/export. `after`: the number of the last row that one already has. */
export const LogQuery = z.strictObject({ after: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0) })
/** A part of the log. `head`: the hash of its last row. `next`: the `after` of the next part; null after the last. */
export type Log = { text: string; rows: number; head: string | null; next: number | null }
/** The last line of a file of the log. `next`: the `after` of the next file, if the log goes on. */
export type LogEnd = { end: { rows: number; head: string | null; next: number | null } }

/** POST /changes/end: ids of changes of GET /changes?made=true. Others change nothing. */
export const EndChanges = z.strictObject({ ids: z.array(z.int().min(1)).min(1).max(endedAtOnce) })
/** How many of each were ended. */
export type EndedChanges = {
  webhooks: number
  agents: number
  credentials: number
  connections: number
  permissions: number
  people: number
}
