import type { RunStatus } from '#domain/runs/runStatus.ts'
import { utcText } from '#domain/utcText.ts'
import { email, link, paragraph } from './email.ts'
import { formatMoney, oneLine } from './format.ts'
import { withinAccount } from './links.ts'
import type { Message } from './message.ts'
import type { PushNotice } from './push.ts'

/** Messages about payout runs. Opening a link does not decide anything. */

export type RunSummary = {
  runId: string
  title: string
  status: RunStatus
  madeBy: string | null
  /** Rows that are not left out, and their sum in decimal USDC. */
  rows: number
  total: string
  isTest: boolean
  /** Rows that ended without paying. */
  notPaid: number
  /** ms */
  expiresAt: number
  reason: string | null
}

type ToReader = {
  id: string
  to: string
  run: RunSummary
  appOrigin: string
  /** For links: the account, unless it is the reader's own. */
  account: string | null
}

export function runWaitingMessage({
  id,
  to,
  run,
  appOrigin,
  account,
  accountName,
}: ToReader & { accountName: string }): Message {
  const by = oneLine(run.madeBy, 60) ?? 'Somebody'
  const parts = [
    paragraph('Hello,'),
    paragraph(`${by} asks for ${paymentsOf(run)} of ${accountName}: “${titleOf(run)}”.`),
    paragraph(`Nothing is paid before it is approved. Without a decision it ends on ${utcText(run.expiresAt)}.`),
    link('Review and decide', pageOf(run, appOrigin, account)),
  ]
  return email({ id, to, subject: `${paymentsOf(run)} wait for a decision`, parts })
}

export function runEndedMessage({ id, to, run, appOrigin, account }: ToReader): Message {
  const parts = [
    paragraph('Hello,'),
    paragraph(`${endings[run.status] ?? 'It has ended.'} ${notPaidText(run)}`.trim()),
    ...(run.reason ? [paragraph(`The reason: ${oneLine(run.reason, 280)}`)] : []),
    link('See the run', pageOf(run, appOrigin, account)),
  ]
  return email({ id, to, subject: `“${titleOf(run)}” ${subjects[run.status] ?? 'has ended'}`, parts })
}

/** Lock screens may show it, so it says how much, but not to whom. */
export const runNotice = (run: RunSummary, account: string | null): PushNotice => ({
  title: `${paymentsOf(run)} wait for a decision`,
  body: 'Nothing is paid before it is approved.',
  path: withinAccount(account, pathOf(run)),
  tag: run.runId,
})

const titleOf = ({ title }: RunSummary) => oneLine(title, 80) ?? 'A run'
const paymentsOf = ({ rows, total: amount, isTest }: RunSummary) =>
  `${rows === 1 ? '1 payment' : `${rows} payments`} (${formatMoney({ amount, isTest })})`
const pathOf = ({ runId }: RunSummary) => `/dashboard/runs/${runId}`
const pageOf = (run: RunSummary, appOrigin: string, account: string | null) =>
  `${appOrigin}${withinAccount(account, pathOf(run))}`

const endings: Partial<Record<RunStatus, string>> = {
  DONE: 'Every row of the run has been dealt with.',
  STOPPED: 'The run was stopped. Payments that were on their way go on.',
  DENIED: 'The run was denied. Nothing was paid.',
  EXPIRED: 'Nobody decided about the run in time. Nothing was paid.',
}
const subjects: Partial<Record<RunStatus, string>> = {
  ...{ DONE: 'is done', STOPPED: 'was stopped', DENIED: 'was denied', EXPIRED: 'was not decided in time' },
}

const notPaidText = ({ status, notPaid }: RunSummary) =>
  (status === 'DONE' || status === 'STOPPED') && notPaid > 0
    ? `${notPaid === 1 ? '1 row was' : `${notPaid} rows were`} not paid.`
    : ''
