import { namesText } from '#domain/namesText.ts'
import { isTestChain } from '#domain/networks.ts'
import { purchaseScope } from '#domain/scopes.ts'
import { isoOf } from '#domain/time.ts'
import { type HaltKind, haltText } from '#domain/walletHalt.ts'
import { type DisableReason, whyDisabled } from '#domain/webhookRules.ts'
import type { Notice, NoticeCount, NoticeList } from '#schemas/notice.ts'
import { formatMoney, oneLine } from '../../notifications/format.ts'
import { pendingCount } from '../approvals/views.ts'
import type { Context } from '../core/context.ts'
import { maxShown, readUpTo } from '../ledger/notices.ts'
import { formatColumn } from '../storage/columns.ts'
import type { NoticeRow, PaymentRow, WalletRow } from '../storage/rows.ts'
import { agentsOf } from '../wallets/endingKeys.ts'

export function listNotices(ctx: Context): NoticeList {
  const read = readUpTo(ctx.store)
  const rows = ctx.store.all<ListedNotice>(
    'SELECT n.*, a.data FROM notice n JOIN audit a ON a.seq = n.seq ORDER BY n.seq DESC LIMIT ?',
    maxShown,
  )
  const notices = rows.map(
    (row): Notice => ({
      id: row.seq,
      event: row.event,
      at: isoOf(row.at),
      isRead: row.seq <= read,
      times: row.times,
      address: null,
      ...wordsOf(ctx, row),
    }),
  )
  return { notices, ...noticeCount(ctx) }
}

export const noticeCount = (ctx: Context): NoticeCount => ({
  pending: pendingCount(ctx),
  unread: ctx.store.count('(SELECT 1 FROM notice WHERE seq > ? LIMIT ?)', readUpTo(ctx.store), maxShown),
})

/** Marks the notices up to this one as read. The mark never moves back. */
export function markRead(ctx: Context, upTo: number): NoticeCount {
  const { store } = ctx
  store.transaction(() => {
    const newest = store.first<{ seq: number | null }>('SELECT max(seq) AS seq FROM notice')?.seq ?? 0
    const read = Math.min(upTo, newest)
    if (read > readUpTo(store)) store.setMeta('notices_read', read)
  })
  return noticeCount(ctx)
}

/** `data`: JSON of the event's row in the audit log. */
type ListedNotice = NoticeRow & { data: string }
type Words = Pick<Notice, 'text' | 'detail' | 'subject'> & { address?: string | null }

/** The text of a notice, with the current names, and the subject that it links to. */
function wordsOf(ctx: Context, { event, ref, times, data: json }: ListedNotice): Words {
  const data = JSON.parse(json) as Record<string, unknown>
  switch (event) {
    case 'payment.failed':
      return ofPayment(ctx, ref, (payment) => ({
        text:
          payment.kind === 'x402'
            ? `A purchase of ${moneyOf(ctx, payment)} from ${recipientOf(payment)} was not settled`
            : `${moneyTo(ctx, payment)} was not sent`,
        detail: payment.error_message,
      }))
    case 'payment.refused':
      return ofPayment(ctx, ref, (payment) => {
        const [agent, last] = [agentOf(ctx, payment.agent_id), moneyTo(ctx, payment)]
        return times === 1
          ? { text: `${agent} was refused ${last}`, detail: payment.error_message }
          : {
              text: `${agent} was refused ${times} payments`,
              detail: `The last: ${last}. ${payment.error_message ?? ''}`,
            }
      })
    case 'approval.expired': {
      const approval = ctx.store.approval(ref)
      const payment = approval?.payment_id ? ctx.store.payment(approval.payment_id) : null
      return {
        text: `Nobody answered when ${agentOf(ctx, approval?.agent_id ?? null)} asked for ${payment ? moneyOf(ctx, payment) : 'a higher budget'}`,
        detail: payment ? 'Nothing was paid.' : 'The budget stays as it is.',
        subject: { type: 'approval', id: ref },
      }
    }
    case 'payout.withdrawn':
      return ofPayout(ctx, ref, (payment) => ({ text: `${recipientOf(payment)} claimed ${moneyOf(ctx, payment)}` }))
    case 'payout.reclaimed':
      return ofPayout(ctx, ref, (payment) => ({
        text: `${moneyOf(ctx, payment)} for ${recipientOf(payment)} came back`,
        detail: ctx.store.payout(ref)?.action_by === 'expiry' ? 'It was not claimed in time.' : null,
      }))
    case 'wallet.failed':
      return ofWallet(ctx, ref, (name) => ({
        text: `${name} could not be deployed`,
        detail: 'You can try again.',
      }))
    case 'wallet.halted':
      return ofWallet(ctx, ref, (name, _, wallet) => {
        const { what, next } = haltText(data.kind as HaltKind, wallet.kind)
        return { text: `Payments from ${name} are stopped`, detail: `${what} ${next}` }
      })
    case 'wallet.withdrawn':
      return ofWallet(ctx, ref, (name, isTest) => ({
        text: `${formatMoney({ amount: String(data.amount), isTest })} left ${name} without Bursar`,
        detail: `To ${short(String(data.to))}`,
        address: String(data.to),
      }))
    case 'session.ending':
      return ofWallet(ctx, ref, (name) => {
        const agents = agentsOf(ctx.store, ref).map((agent) => oneLine(agent, 40) ?? 'Unnamed')
        return {
          text: `The session key of ${name} ends in ${data.days === 1 ? '1 day' : `${data.days} days`}`,
          detail: `${agents.length > 0 ? `${namesText(agents)} can’t pay after that. ` : ''}Rotate it to go on paying from this wallet.`,
        }
      })
    case 'wallet.refill_refused':
      return ofWallet(ctx, ref, (name) => {
        const agents = agentsOf(ctx.store, ref, purchaseScope).map((agent) => oneLine(agent, 40) ?? 'Unnamed')
        return {
          text: `The purchase allowance of ${name} can’t be renewed`,
          detail: `${agents.length > 0 ? `Once it is used up, ${namesText(agents)} can’t buy. ` : ''}${data.why}`,
        }
      })
    case 'connection.created':
      return {
        text: `${data.app} is connected as ${agentOf(ctx, String(data.agent))}`,
        detail: 'Revoke it under Connected apps if you did not connect it.',
        subject: { type: 'connection', id: ref },
      }
    case 'connection.revoked':
      return {
        text: `${data.app} can no longer act as ${agentOf(ctx, String(data.agent))}`,
        detail:
          data.why === 'app'
            ? 'It ended the connection itself.'
            : 'One of its codes was used twice, so somebody may have copied it. Connect the app again if you need it.',
        subject: { type: 'connection', id: ref },
      }
    case 'group.budget_reached': {
      const group = ctx.store.anyGroup(ref)
      const name = oneLine(group?.name ?? null, 60) ?? 'a policy group'
      return {
        text:
          Number(data.percent) >= 100
            ? `The budget of ${name} is used up`
            : `The budget of ${name} is ${data.percent}% used`,
        detail: null,
        subject: { type: 'group', id: ref },
      }
    }
    case 'account.restored':
      return {
        text: 'Your account was restored from a backup',
        detail: 'Policy groups are paused. Review their rules, then resume them.',
        subject: { type: 'restore', id: ref },
      }
    case 'account.suspended':
      return { text: 'Your account is suspended', detail: 'Agents cannot pay. Please contact support.', subject: null }
    case 'webhook.disabled':
      return {
        text: `Your webhook at ${data.host} is switched off`,
        detail: `Because ${whyDisabled[data.reason as DisableReason]}.`,
        subject: { type: 'webhook', id: ref },
      }
  }
}

function ofPayment(ctx: Context, id: string, words: (payment: PaymentRow) => Omit<Words, 'subject'>): Words {
  const payment = ctx.store.payment(id)
  // Refusals and notices are both deleted after 30 days, but not at the same moment.
  if (!payment) return { text: 'A payment was not made', detail: null, subject: null }
  return { ...words(payment), address: shownAddress(payment), subject: { type: 'payment', id } }
}

const ofPayout = (
  ctx: Context,
  id: string,
  words: (payment: PaymentRow) => { text: string; detail?: string | null },
): Words => ({
  detail: null,
  ...words(ctx.store.payment(id)!),
  subject: { type: 'payout', id },
})

function ofWallet(
  ctx: Context,
  id: string,
  words: (name: string, isTest: boolean, wallet: WalletRow) => Omit<Words, 'subject'>,
): Words {
  const wallet = ctx.store.wallet(id)!
  return {
    ...words(oneLine(wallet.name, 60) ?? `wallet ${short(wallet.address)}`, isTestChain(wallet.chain_id), wallet),
    subject: { type: 'wallet', id },
  }
}

/** The address by which `recipientOf` names the recipient; null if it has another name. */
const shownAddress = ({ to_address, ...payment }: PaymentRow) => (nameOf(payment) === null ? to_address : null)

const agentOf = ({ store }: Context, id: string | null) => oneLine(store.agentName(id), 60) ?? 'An agent'
const short = (address: string) => (address === '' ? '' : `${address.slice(0, 6)}…${address.slice(-4)}`)
/** What names the recipient, other than an address. Of a purchase, its host. */
const nameOf = (payment: Pick<PaymentRow, 'seller' | 'contact_name' | 'recipient_email' | 'recipient_phone'>) =>
  payment.seller ?? payment.contact_name ?? payment.recipient_email ?? payment.recipient_phone
const recipientOf = (payment: PaymentRow) =>
  oneLine(nameOf(payment) ?? short(payment.to_address ?? ''), 60) ?? 'a recipient'
const moneyOf = ({ store }: Context, { amount, wallet_id }: PaymentRow) =>
  formatMoney({ amount: formatColumn(amount), isTest: isTestChain(store.wallet(wallet_id)!.chain_id) })
const moneyTo = (ctx: Context, payment: PaymentRow) => `${moneyOf(ctx, payment)} to ${recipientOf(payment)}`
