import { z } from 'zod'
import type { NoticeEvent } from '#domain/events.ts'

/** POST /notices/read: `upTo` is the id of the newest notice that was shown. */
export const ReadNotices = z.object({ upTo: z.int('Give the id of a notice').nonnegative() })

export type NoticeSubject = { type: 'approval' | 'payment' | 'payout' | 'wallet' | 'group' | 'webhook'; id: string }
/** Something that happened in the account. Ids rise. */
export type Notice = {
  id: number
  event: NoticeEvent
  at: string
  isRead: boolean
  /** How often it happened before it was read. */
  times: number
  text: string
  detail: string | null
  /** What it is about; null: the account, or what is deleted. */
  subject: NoticeSubject | null
}
/** `pending`: approvals that wait for the owner. `unread`: notices. */
export type NoticeCount = { pending: number; unread: number }
export type NoticeList = NoticeCount & { notices: Notice[] }
