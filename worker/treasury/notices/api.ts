import type { NoticeCount, NoticeList } from '#schemas/notice.ts'

export interface NoticeCalls {
  /** Newest first. Reading marks nothing as read. */
  notices(): Promise<NoticeList>
  noticeCount(): Promise<NoticeCount>
  /** The owner has seen those up to the one with this id. */
  readNotices(upTo: number): Promise<NoticeCount>
}
