import { approvalPath } from '#domain/approval.ts'
import { utcText } from '#domain/utcText.ts'
import { email, link, paragraph } from './email.ts'
import { formatMoney, oneLine } from './format.ts'
import { withinAccount } from './links.ts'
import type { Message } from './message.ts'
import type { PushNotice } from './push.ts'

/** Emails to those who decide about what agents ask for. Opening a link does not decide anything. */

export type WaitingApproval = {
  approvalId: string
  kind: 'payment' | 'purchase' | 'budget'
  agent: string
  /** Decimal USDC. */
  amount: string
  isTest: boolean
  /** Who is paid, of a purchase the host; null for a budget request. */
  recipient: string | null
  /** ms */
  expiresAt: number
}

/** Number of requests listed in an email; the page shows all of them. */
const named = 10

export function approvalsMessage(input: {
  id: string
  to: string
  waiting: readonly WaitingApproval[]
  appOrigin: string
  account: string | null
}): Message {
  const { id, to, waiting, appOrigin, account } = input
  const [first] = waiting
  const page = `${appOrigin}${withinAccount(account, waiting.length === 1 && first ? approvalPath(first.approvalId) : approvalsPath)}`
  if (waiting.length === 1 && first) return oneApproval(id, to, first, page)
  const rest = waiting.length - named
  const parts = [
    paragraph('Hello,'),
    paragraph(`${waiting.length} requests of your agents wait for you:`),
    ...waiting.slice(0, named).map((each) => paragraph(`${sentence(each)} Until ${utcText(each.expiresAt)}.`)),
    ...(rest > 0 ? [paragraph(`And ${rest} more.`)] : []),
    paragraph('Requests that you do not answer in time are not paid.'),
    link('Review and decide', page),
  ]
  return email({ id, to, subject: `${waiting.length} requests wait for your approval`, parts })
}

function oneApproval(id: string, to: string, waiting: WaitingApproval, page: string): Message {
  const parts = [
    paragraph('Hello,'),
    paragraph(sentence(waiting)),
    paragraph(`Nothing is paid before you approve it. Without an answer it ends on ${utcText(waiting.expiresAt)}.`),
    link('Review and decide', page),
  ]
  const what = { payment: 'a payment', purchase: 'a purchase', budget: 'more budget' }[waiting.kind]
  return email({ id, to, subject: `${nameOf(waiting)} asks for ${what} of ${formatMoney(waiting)}`, parts })
}

const approvalsPath = '/dashboard/approvals'

const nameOf = ({ agent }: WaitingApproval) => oneLine(agent, 60) ?? 'An agent'

function sentence(waiting: WaitingApproval): string {
  const money = formatMoney(waiting)
  if (waiting.kind === 'budget') return `${nameOf(waiting)} asks for ${money} more budget.`
  const recipient = oneLine(waiting.recipient, 80)
  return waiting.kind === 'purchase'
    ? `${nameOf(waiting)} asks to buy from ${recipient ?? 'a seller'} for ${money}.`
    : `${nameOf(waiting)} asks to pay ${money} to ${recipient ?? 'a recipient'}.`
}

/** The notice about waiting requests. Lock screens may show it, so it says who asks and how much, but not to whom or why. */
export function approvalNotice(
  waiting: readonly [WaitingApproval, ...WaitingApproval[]],
  account: string | null,
): PushNotice {
  const [{ approvalId, kind, agent, ...money }] = waiting
  if (waiting.length > 1)
    return {
      title: `${waiting.length} requests wait for your approval`,
      body: 'Requests that you do not answer in time are not paid.',
      path: withinAccount(account, approvalsPath),
      tag: 'approvals',
    }
  const name = oneLine(agent, 60) ?? 'An agent'
  return {
    title: {
      payment: `${name} asks to pay ${formatMoney(money)}`,
      purchase: `${name} asks to buy for ${formatMoney(money)}`,
      budget: `${name} asks for more budget`,
    }[kind],
    body: 'Nothing is paid before you approve it.',
    path: withinAccount(account, approvalPath(approvalId)),
    tag: approvalId,
  }
}
