import { approvalPath } from '#domain/approval.ts'
import type { WaitingApproval } from '../approvalMessages.ts'
import { formatMoney, oneLine } from '../format.ts'
import type { PushNotice } from './send.ts'

/** The notice about waiting requests. Lock screens may show it, so it says who asks and how much, but not to whom or why. */
export function approvalNotice(waiting: readonly [WaitingApproval, ...WaitingApproval[]]): PushNotice {
  const [{ approvalId, kind, agent, ...money }] = waiting
  if (waiting.length > 1)
    return {
      title: `${waiting.length} requests wait for your approval`,
      body: 'Requests that you do not answer in time are not paid.',
      path: '/dashboard/approvals',
      tag: 'approvals',
    }
  const name = oneLine(agent, 60) ?? 'An agent'
  return {
    title: kind === 'payment' ? `${name} asks to pay ${formatMoney(money)}` : `${name} asks for more budget`,
    body: 'Nothing is paid before you approve it.',
    path: approvalPath(approvalId),
    tag: approvalId,
  }
}
