import { z } from 'zod'
import type { Actor } from '#domain/actor.ts'
import type { ChangeEvent } from '#domain/events.ts'
import { endedAtOnce } from '#domain/limits.ts'
import type { NoticeSubject } from './notice.ts'

export const changesPerPage = 50

/** GET /changes. Newest first. `before`: the last id of the page before. */
export const ChangesQuery = z.strictObject({ before: z.coerce.number().int().min(1).optional() })

export type ChangesParams = { before?: number | undefined }

/** One row of the owner's history of changes. Ids only rise. */
export type Change = {
  id: number
  event: ChangeEvent
  at: string
  /** `name` is that of an agent or a member; null for others, and once it is unknown. */
  by: { type: 'owner' | 'member' | 'agent' | 'operator' | 'recipient' | 'bursar'; name: string | null }
  via: Actor['via']
  text: string
  detail: string | null
  subject: NoticeSubject | null
}
/** `next`: the value of `before` for the next page. */
export type ChangeList = { changes: Change[]; next: number | null }
/** GET /changes/made: changes of the last 30 days that left something which acts from then on, and still does. Newest first. */
export type MadeChanges = { changes: Change[] }

/** POST /changes/end: ids of changes of GET /changes/made. Others change nothing. */
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
