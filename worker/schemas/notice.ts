import { z } from 'zod'
import type { NoticeEvent } from '#domain/events.ts'

/** POST /notices/read: `upTo` is the id of the newest notice that was shown. */
export const ReadNotices = z.object({ upTo: z.int('upTo must be the id of a notice').nonnegative() })

export type NoticeSubject = {
  type:
    | 'approval'
    | 'payment'
    | 'payout'
    | 'wallet'
    | 'group'
    | 'webhook'
    | 'restore'
    | 'connection'
    | 'changes'
    | 'people'
    | 'run'
  id: string
}
/** A notice of an event in the account. Ids only rise. */
export type Notice = {
  id: number
  event: NoticeEvent
  at: string
  isRead: boolean
  /** How many events of this kind it stands for. The text says so where they differ. */
  times: number
  text: string
  detail: string | null
  /**
   * An address or a contact's id, and what the texts say for it, so that a contact's name can take its place: only D1 knows the names
   * of contacts. Null for other notices.
   */
  nameless: { value: string; shown: string } | null
  /** What the notice is about. Null for the account itself, or if it was deleted. */
  subject: NoticeSubject | null
}
/** `pending` counts open approvals, `unread` counts notices. */
export type NoticeCount = { pending: number; unread: number }
export type NoticeList = NoticeCount & { notices: Notice[] }
