import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { useContactName } from '#web/components/ContactName.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { PendingApprovals } from '#web/components/PendingApprovals.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { shortAddress } from '#web/lib/format.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type Notice, type NoticeSubject, noticesQuery, readNotices } from '#web/queries/notices.ts'
import { other } from '#web/routes/-shell/pages.ts'

/**
 * The account's notices, newest first. Showing them marks them as read; they stay labeled as new until the page is left.
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

function NoticeRow(props: { notice: Notice; isNew: boolean }) {
  const { at, subject, address } = props.notice
  const name = useContactName(address)
  const named = (words: string) => (name && address ? words.replace(shortAddress(address), name) : words)
  const text = named(props.notice.text)
  const detail = props.notice.detail && named(props.notice.detail)
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-hairline border-b px-5 py-3 last:border-b-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className="break-words">
          {subject ? (
            <Link {...linkTo(subject, props.notice.event)} className={linkClass}>
              {text}
            </Link>
          ) : (
            text
          )}
        </p>
        {detail && <p className="break-words text-muted text-small">{detail}</p>}
      </div>
      <p className="flex items-baseline gap-2 text-muted text-small">
        {props.isNew && (
          <Chip tone="good" plain>
            New
          </Chip>
        )}
        <Time iso={at} />
      </p>
    </li>
  )
}

const isOfSessionKey = (event: Notice['event']) => event === 'session.ending' || event === 'wallet.refill_refused'

function linkTo({ type, id }: NoticeSubject, event: Notice['event']): Pick<LinkProps, 'to' | 'params' | 'search'> {
  switch (type) {
    case 'approval':
      return { to: '/dashboard/approvals/$approvalId', params: { approvalId: id } }
    case 'payment':
      return { to: '/dashboard/transactions', search: { detail: id } }
    case 'payout':
      return { to: '/dashboard/payouts', search: { detail: id } }
    case 'wallet':
      return { to: '/dashboard/wallets', search: isOfSessionKey(event) ? { session: id } : {} }
    case 'group':
      return { to: '/dashboard/agents', search: { group: id } }
    case 'webhook':
      return { to: other('webhooks') }
    case 'connection':
      return { to: '/dashboard/agents' }
    case 'restore':
      return { to: other('restored') }
  }
}
