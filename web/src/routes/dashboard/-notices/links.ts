import type { LinkProps } from '@tanstack/react-router'
import type { Notice, NoticeSubject } from '#web/queries/notices.ts'
import { other } from '#web/routes/-shell/pages.ts'

const isOfSessionKey = (event: Notice['event'] | undefined) =>
  event === 'session.ending' || event === 'wallet.refill_refused'

/** The page about what a notice or a change is about. `event`: of a notice, which may lead to a dialog of that page. */
export function linkOfSubject(
  { type, id }: NoticeSubject,
  event?: Notice['event'],
): Pick<LinkProps, 'to' | 'params' | 'search'> {
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
    case 'changes':
      return { to: other('changes'), search: (id === 'made' ? { made: true } : {}) as never }
    case 'run':
      return { to: other(`runs/${id}`) }
    case 'people':
      return { to: other('people') }
  }
}
