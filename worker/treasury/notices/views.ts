import { isoOf } from '#domain/time.ts'
import type { Notice, NoticeCount, NoticeList } from '#schemas/notice.ts'
import { pendingCount } from '../approvals/views.ts'
import type { Context } from '../core/context.ts'
import { readUpTo } from '../ledger/notices.ts'
import { type NoticeRow, wordsOf } from './words.ts'

export function listNotices(ctx: Context): NoticeList {
  const read = readUpTo(ctx.store)
  const rows = ctx.store.all<NoticeRow>(
    'SELECT n.*, a.data FROM notice n JOIN audit a ON a.seq = n.seq ORDER BY n.seq DESC',
  )
  const notices = rows.map(
    (row): Notice => ({
      id: row.seq,
      event: row.event,
      at: isoOf(row.at),
      isRead: row.seq <= read,
      times: row.times,
      ...wordsOf(ctx, row),
    }),
  )
  return { notices, ...noticeCount(ctx) }
}

export const noticeCount = (ctx: Context): NoticeCount => ({
  pending: pendingCount(ctx),
  unread: ctx.store.first<{ n: number }>('SELECT count(*) AS n FROM notice WHERE seq > ?', readUpTo(ctx.store))!.n,
})

/** Marks the notices up to this one as read. The mark never moves back. */
export function markRead(ctx: Context, upTo: number): NoticeCount {
  const { store } = ctx
  store.transaction(() => {
    const newest = store.first<{ seq: number | null }>('SELECT max(seq) AS seq FROM notice')?.seq ?? 0
    const read = Math.min(upTo, newest)
    if (read > readUpTo(store)) store.setMeta('notices_read', read)
  })
  return noticeCount(ctx)
}
