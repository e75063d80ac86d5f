import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { PendingApprovals } from '#web/components/PendingApprovals.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { useTitle } from '#web/lib/useTitle.ts'
import { noticesQuery, readNotices } from '#web/queries/notices.ts'
import { NoticeRow } from './NoticeRow.tsx'

/**
 * The account's notices, newest first. Showing them marks them as read; they stay labelled as new until the page is left.
 */
export default function NoticesPage() {
  const { data, error, refetch } = useQuery(noticesQuery)
  const notices = data?.notices
  const [readBefore, setReadBefore] = useState<number | null>(null)
  useTitle('Notices')

  const newest = notices?.[0]
  const newestRead = notices?.find(({ isRead }) => isRead)?.id ?? 0
  if (notices && readBefore === null) setReadBefore(newestRead)
  const unreadId = newest && !newest.isRead ? newest.id : null
  useEffect(() => {
    // If this fails, they stay unread and the next visit tries again.
    if (unreadId !== null) void readNotices(unreadId).catch(() => {})
  }, [unreadId])

  return (
    <>
      <PageHeader title="Notices" />
      <PendingApprovals />
      <Card className="overflow-hidden">
        {notices ? (
          notices.length === 0 ? (
            <EmptyState title="Nothing has happened yet">
              Payments that were refused or failed, payouts that ended, and what else you should know appear here.
            </EmptyState>
          ) : (
            <ul aria-label="Notices">
              {notices.map((notice) => (
                <NoticeRow key={notice.id} notice={notice} isNew={notice.id > (readBefore ?? 0)} />
              ))}
            </ul>
          )
        ) : error ? (
          <ErrorState error={error} fallback="Failed to load notices" onRetry={() => refetch()} />
        ) : (
          <SkeletonRows rows={5} />
        )}
      </Card>
    </>
  )
}
