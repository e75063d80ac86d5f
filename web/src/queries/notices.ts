import { queryOptions } from '@tanstack/react-query'
import type { Notice, NoticeCount, NoticeSubject } from '#schemas/notice.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Notice, NoticeSubject }

const rootKey = ['notices'] as const
const pollMs = 15_000 // 15 seconds

/** Counts of pending approvals and new notices; polled on every page. */
export const noticeCountQuery = queryOptions({
  queryKey: [...rootKey, 'count'],
  queryFn: ({ signal }) => api('GET /notices/count', { signal }),
  refetchInterval: pollMs,
  refetchOnWindowFocus: true,
})

export const noticesQuery = queryOptions({
  queryKey: [...rootKey, 'list'],
  queryFn: ({ signal }) => api('GET /notices', { signal }),
  refetchInterval: pollMs,
  staleTime: 0,
})

/** Marks the notices up to this id as read. */
export async function readNotices(upTo: number): Promise<void> {
  const count: NoticeCount = await api('POST /notices/read', { body: { upTo } })
  queryClient.setQueryData(noticeCountQuery.queryKey, count)
}

export const refreshNoticeCount = () => queryClient.invalidateQueries({ queryKey: noticeCountQuery.queryKey })
