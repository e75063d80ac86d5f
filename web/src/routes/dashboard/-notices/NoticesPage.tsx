import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import {
  Bot,
  CircleCheck,
  CircleX,
  Clock,
  Gauge,
  KeyRound,
  type LucideIcon,
  Plug,
  ShieldAlert,
  Undo2,
  Wallet,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { useContactName } from '#web/components/ContactName.tsx'
import { PendingApprovals } from '#web/components/PendingApprovals.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { dayName, formatDate } from '#web/lib/format.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type Notice, noticesQuery, readNotices } from '#web/queries/notices.ts'
import { EndConnection } from './EndConnection.tsx'
import { linkOfSubject } from './links.ts'

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
              {notices.map((notice, i) => (
                <NoticeRow
                  key={notice.id}
                  notice={notice}
                  isNew={notice.id > (readBefore ?? 0)}
                  startsDay={i === 0 || formatDate(notices[i - 1]!.at) !== formatDate(notice.at)}
                />
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

/** What a notice is about, at a glance. The text says the same. */
function iconOf(event: Notice['event']): LucideIcon {
  if (event === 'payout.withdrawn') return CircleCheck
  if (event === 'payout.reclaimed') return Undo2
  if (event.startsWith('payment.')) return CircleX
  if (event.startsWith('wallet.')) return Wallet
  if (event.startsWith('session.')) return KeyRound
  if (event.startsWith('agent.')) return Bot
  if (event.startsWith('group.')) return Gauge
  if (event.startsWith('approval.')) return Clock
  return event.startsWith('account.') ? ShieldAlert : Plug
}

function NoticeRow(props: { notice: Notice; isNew: boolean; startsDay: boolean }) {
  const { at, subject, nameless, event } = props.notice
  const Icon = iconOf(event)
  const name = useContactName(nameless?.value)
  const day = dayName(at, Date.now())
  const named = (words: string) => (name && nameless ? words.replace(nameless.shown, () => name) : words)
  const text = named(props.notice.text)
  const detail = props.notice.detail && named(props.notice.detail)
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-hairline border-b px-5 py-3 last:border-b-0">
      {props.startsDay && <h2 className="basis-full font-medium text-muted text-small">{day}</h2>}
      <Icon aria-hidden="true" className="size-4 shrink-0 self-start text-muted mt-1" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="break-words">
          {subject ? (
            <Link
              {...linkOfSubject(subject, event)}
              className={clsx('rounded-sm hover:underline', props.isNew && 'font-medium')}
            >
              {text}
            </Link>
          ) : (
            text
          )}
        </p>
        {detail && <p className="break-words text-muted text-small">{detail}</p>}
        {subject && event === 'connection.token_reused' && <EndConnection connectionId={subject.id} />}
      </div>
      <p className="flex items-baseline gap-2 text-muted text-small">
        {props.isNew && (
          <Chip tone="good" plain>
            New
          </Chip>
        )}
        <Time iso={at} as={day === 'Today' ? 'ago' : 'clock'} />
      </p>
    </li>
  )
}
