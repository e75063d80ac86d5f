import { namesText } from '#domain/namesText.ts'
import type { WarnDays } from '#domain/sessionKey.ts'
import { type HaltKind, haltText } from '#domain/walletHalt.ts'
import { type DisableReason, whyDisabled } from '#domain/webhookRules.ts'
import { email, link, note, paragraph } from './email.ts'
import { formatMoney, oneLine, utcDay, utcMinute } from './format.ts'
import type { Message } from './message.ts'

/** Emails to an owner about budgets, wallets, webhooks and restores. */

/** Sent when usage of a group's budget passes 75%, 90% or 100%. Amounts are decimal USDC. */
export function budgetMessage(input: {
  id: string
  to: string
  group: string
  percent: number
  limit: string
  remaining: string
  isTest: boolean
  appOrigin: string
}): Message {
  const { id, to, percent, isTest, appOrigin } = input
  const remaining = formatMoney({ amount: input.remaining, isTest })
  const limit = formatMoney({ amount: input.limit, isTest })
  const group = oneLine(input.group, 60) ?? 'Your policy group'
  const parts = [
    paragraph('Hello,'),
    paragraph(
      percent >= 100
        ? `The budget of ${group} is used up: ${limit} is spent or held. Further payments by its agents are refused.`
        : `The budget of ${group} is ${percent}% used: ${remaining} of ${limit} is left.`,
    ),
    paragraph('Top it up, or see what it was spent on.'),
    link('Open usage', `${appOrigin}/dashboard/usage`),
  ]
  const subject = percent >= 100 ? `The budget of ${group} is used up` : `The budget of ${group} is ${percent}% used`
  return email({ id, to, subject, parts })
}

/** Sent when a wallet is halted. At most one a day for each reason. */
export function walletHaltedMessage(input: {
  walletId: string
  to: string
  name: string | null
  address: string
  halt: HaltKind
  walletKind: 'smart' | 'imported'
  appOrigin: string
  /** ms */
  now: number
}): Message {
  const { walletId, to, address, halt, appOrigin, now } = input
  const { what, next } = haltText(halt, input.walletKind)
  const wallet = oneLine(input.name, 60) ?? 'your wallet'
  const parts = [
    paragraph('Hello,'),
    paragraph(`Payments from ${wallet} (${address}) are stopped. ${what} ${next}`),
    paragraph('Bursar sends nothing from it until this is resolved. You can withdraw with the owner key at any time.'),
    link('Open wallets', `${appOrigin}/dashboard/wallets`),
  ]
  return email({
    id: `wallet-stopped:${walletId}:${halt}:${utcDay(now)}`,
    to,
    subject: `Payments from ${wallet} are stopped`,
    parts,
  })
}

/** Sent 7 days and 1 day before a session key ends. `agents`: those that pay from the wallet. */
export function sessionEndingMessage(input: {
  id: string
  to: string
  walletId: string
  wallet: string | null
  days: WarnDays
  agents: string[]
  appOrigin: string
}): Message {
  const { id, to, walletId, days, appOrigin } = input
  const agents = input.agents.map((name) => oneLine(name, 40) ?? 'Unnamed')
  const wallet = oneLine(input.wallet, 60) ?? 'your wallet'
  const when = days === 1 ? 'in 1 day' : `in ${days} days`
  const parts = [
    paragraph('Hello,'),
    paragraph(`The session key of ${wallet} ends ${when}. From then on nothing is paid from this wallet.`),
    paragraph(
      agents.length === 0
        ? 'No agent pays from it now. Rotate the key if you want to go on sending from it.'
        : `These agents then can’t pay: ${namesText(agents)}. Rotate the key before it ends, and they go on without a pause.`,
    ),
    link('Rotate the session key', `${appOrigin}/dashboard/wallets?session=${walletId}`),
  ]
  return email({ id, to, subject: `The session key of ${wallet} ends ${when}`, parts })
}

/**
 * Sent once for each session key whose purchase allowance can't be renewed. `why` says what to do; `agents`: those that may buy
 * from the wallet.
 */
export function refillRefusedMessage(input: {
  id: string
  to: string
  walletId: string
  wallet: string | null
  why: string
  agents: string[]
  appOrigin: string
}): Message {
  const { id, to, walletId, why, appOrigin } = input
  const agents = input.agents.map((name) => oneLine(name, 40) ?? 'Unnamed')
  const wallet = oneLine(input.wallet, 60) ?? 'your wallet'
  const parts = [
    paragraph('Hello,'),
    paragraph(`Most of the purchase allowance of ${wallet} is used, and Bursar can’t renew it. ${why}`),
    ...(agents.length > 0 ? [paragraph(`Once it is used up, these agents can’t buy: ${namesText(agents)}.`)] : []),
    link('Open the session key', `${appOrigin}/dashboard/wallets?session=${walletId}`),
  ]
  return email({ id, to, subject: `The purchase allowance of ${wallet} can’t be renewed`, parts })
}

/** How many agents the mail about a month names. */
const namedSpenders = 5

/** Sent once a month, if money was spent. Amounts are decimal USDC; `startsAt` is the start of the UTC month (ms). */
export function monthMessage(input: {
  to: string
  userId: string
  report: {
    month: string
    startsAt: number
    spent: string
    payments: number
    spenders: { name: string; payments: number; spent: string }[]
  }
  isTest: boolean
  appOrigin: string
}): Message {
  const { to, userId, report, isTest, appOrigin } = input
  const { month, startsAt, payments, spenders } = report
  const name = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(startsAt)
  const spent = formatMoney({ amount: report.spent, isTest })
  const times = (count: number) => (count === 1 ? '1 payment' : `${count} payments`)
  const others = spenders.length - namedSpenders
  const from = `${month}-01`
  const last = utcDay(Date.UTC(new Date(startsAt).getUTCFullYear(), new Date(startsAt).getUTCMonth() + 1, 0))
  const parts = [
    paragraph('Hello,'),
    paragraph(`In ${name}, ${spent} left your wallets in ${times(payments)}.`),
    ...spenders
      .slice(0, namedSpenders)
      .map((each) =>
        paragraph(
          `${oneLine(each.name, 40) ?? 'Unnamed'}: ${formatMoney({ amount: each.spent, isTest })} in ${times(each.payments)}`,
        ),
      ),
    ...(others > 0 ? [paragraph(`And ${others} more.`)] : []),
    link(`Payments of ${name}`, `${appOrigin}/dashboard/transactions?from=${from}&to=${last}`),
    note('The page has a CSV of them. The month is counted in UTC.'),
  ]
  return email({ id: `month:${userId}:${month}`, to, subject: `${name}: ${spent} spent`, parts })
}

/** Sent when Bursar switches a webhook off. */
export function webhookDisabledMessage(input: {
  id: string
  to: string
  url: string
  reason: DisableReason
  appOrigin: string
}): Message {
  const { id, to, url, reason, appOrigin } = input
  // Shows only the host, because the rest of the address may contain a secret.
  const host = URL.parse(url)?.host ?? 'your address'
  const parts = [
    paragraph('Hello,'),
    paragraph(`Your webhook at ${host} is switched off: ${whyDisabled[reason]}.`),
    paragraph(
      'Payments are not affected. Once it works, switch it on again and resend what it missed from its list of deliveries.',
    ),
    link('Open webhooks', `${appOrigin}/dashboard/webhooks`),
  ]
  return email({ id, to, subject: `Your webhook at ${host} is switched off`, parts })
}

/** Sent after a restore from a backup. */
export function accountRestoredMessage(input: {
  id: string
  to: string
  /** The time that the account was restored to (ms). */
  asOf: number
  appOrigin: string
}): Message {
  const { id, to, asOf, appOrigin } = input
  const parts = [
    paragraph('Hello,'),
    paragraph(
      `We had to restore your account from a backup of ${new Date(asOf).toISOString().slice(0, 16).replace('T', ' ')} UTC. Payments since then were recovered from our records and from the chain, and are not made again.`,
    ),
    paragraph(
      'Other changes that you made since then are lost: agents, policy groups, budgets and whitelists are as they were. So that nothing that you have revoked works again, all API keys, webhooks, permissions and session keys have ended, and every policy group is paused. Please review the rules of each group before you resume it.',
    ),
    link('Review the rules', `${appOrigin}/dashboard/restored`),
  ]
  return email({ id, to, subject: 'Your account was restored from a backup', parts })
}

/** Sent about changes that whoever has a stolen session may have made. At most one in 15 minutes. `at` in ms. */
export function changesMessage(input: {
  id: string
  to: string
  changes: { text: string; detail: string | null; at: number }[]
  more: number
  appOrigin: string
}): Message {
  const { id, to, changes, more, appOrigin } = input
  const lines = changes.map(({ text, detail, at }) => {
    const [what, more] = [oneLine(text, 200) ?? '', detail && oneLine(detail, 200)]
    return `${what}${more ? `. ${more}` : '.'} (${utcMinute(at)})`
  })
  const parts = [
    paragraph('Hello,'),
    paragraph(
      'Something was added or changed in your account, as listed below. If this was you, you need not do anything.',
    ),
    paragraph(
      'If it was not you, somebody else is signed in to your account. Choose a new password, which signs them out, and then end what they added.',
    ),
    link('Choose a new password', `${appOrigin}/forgot-password`),
    ...lines.map((line) => paragraph(line)),
    ...(more > 0 ? [paragraph(`And ${more} more.`)] : []),
    link('See all changes', `${appOrigin}/dashboard/changes`),
  ]
  return email({ id, to, subject: 'Changes in your Bursar account', parts })
}
