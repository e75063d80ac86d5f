import type { NoticeCount, NoticeList } from '#schemas/notice.ts'

export interface NoticeCalls {
  /** Newest first. Listing notices does not mark them as read. */
  notices(): Promise<NoticeList>
  noticeCount(): Promise<NoticeCount>
  /** Marks notices up to this id as read. */
  readNotices(upTo: number): Promise<NoticeCount>
}
