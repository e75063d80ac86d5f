import { Link, type LinkProps } from '@tanstack/react-router'
import { Chip } from '#web/components/Chip.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { Time } from '#web/components/Time.tsx'
import type { Notice, NoticeSubject } from '#web/queries/notices.ts'
import { other } from '#web/routes/-shell/pages.ts'

export function NoticeRow(props: { notice: Notice; isNew: boolean }) {
  const { text, detail, times, at, subject } = props.notice
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-hairline border-b px-5 py-3 last:border-b-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className="break-words">
          {subject ? (
            <Link {...linkTo(subject)} className={linkClass}>
              {text}
            </Link>
          ) : (
            text
          )}
          {times > 1 && `, ${times} times`}
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

function linkTo({ type, id }: NoticeSubject): Pick<LinkProps, 'to' | 'params' | 'search'> {
  switch (type) {
    case 'approval':
      return { to: '/dashboard/approvals/$approvalId', params: { approvalId: id } }
    case 'payment':
      return { to: '/dashboard/transactions', search: { detail: id } }
    case 'payout':
      return { to: '/dashboard/payouts', search: { detail: id } }
    case 'wallet':
      return { to: '/dashboard/wallets' }
    case 'group':
      return { to: '/dashboard/agents', search: { group: id } }
    case 'webhook':
      return { to: other('webhooks') }
  }
}
