import type { ChangeEvent, NoticeEvent } from '#domain/events.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import { namesText } from '#domain/namesText.ts'
import { isTestChain } from '#domain/networks.ts'
import { purchaseScope } from '#domain/scopes.ts'
import { isoOf } from '#domain/time.ts'
import { type HaltKind, haltText } from '#domain/walletHalt.ts'
import { type DisableReason, whyDisabled } from '#domain/webhookRules.ts'
import type { Notice, NoticeCount, NoticeList } from '#schemas/notice.ts'
import { formatMoney, oneLine } from '../../../notifications/format.ts'
import { pendingCount } from '../../approvals/views.ts'
import { actorNow } from '../../core/acting.ts'
import type { Context } from '../../core/context.ts'
import { memberOfPerson } from '../../core/storage/members.ts'
import type { NoticeRow, PaymentRow, WalletRow } from '../../core/storage/rows.ts'
import { maxShown, readUpTo } from '../../ledger/notices.ts'
import { waitingRuns } from '../../runs/end.ts'
import { agentsOf } from '../../wallets/endingKeys.ts'
import { changeWords } from './changeWords.ts'
import { agentOf, moneyOf, moneyTo, namelessAddress, namelessOf, recipientOf, short, walletNameOf } from './names.ts'

export function listNotices(ctx: Context): NoticeList {
  const read = readByYou(ctx)
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
      nameless: null,
      ...wordsOf({ ...row, ctx, data: JSON.parse(row.data) }),
    }),
  )
  return { notices, ...noticeCount(ctx) }
}

export const noticeCount = (ctx: Context): NoticeCount => ({
  pending: pendingCount(ctx) + waitingRuns(ctx),
  unread: ctx.store.count('(SELECT 1 FROM notice WHERE seq > ? LIMIT ?)', readByYou(ctx), maxShown),
})

/** The newest notice that the person who asks has seen. */
const readByYou = ({ store }: Context): number => memberOfPerson(store, actorNow().by)?.notices_read ?? readUpTo(store)

/** Marks the notices up to this one as read. The mark never moves back. */
export function markRead(ctx: Context, upTo: number): NoticeCount {
  const { store } = ctx
  store.transaction(() => {
    const newest = store.first<{ seq: number | null }>('SELECT max(seq) AS seq FROM notice')?.seq ?? 0
    const read = Math.min(upTo, newest)
    if (read <= readByYou(ctx)) return
    const you = memberOfPerson(store, actorNow().by)
    if (you) store.run('UPDATE member SET notices_read = ? WHERE id = ?', read, you.id)
    else store.setMeta('notices_read', read)
  })
  return noticeCount(ctx)
}

/** `data`: JSON of the event's row in the audit log. */
type ListedNotice = NoticeRow & { data: string }
type Words = Pick<Notice, 'text' | 'detail' | 'subject'> & Partial<Pick<Notice, 'nameless'>>

/** A notice with the data of its event. */
type Read<Event extends NoticeEvent> = Pick<NoticeRow, 'ref' | 'times'> & {
  ctx: Context
  event: Event
  data: Record<string, unknown>
}

const wordsOf = <Event extends NoticeEvent>(notice: Read<Event>): Words => words[notice.event](notice)

/** The texts of all notices, with the current names, and the subjects that they link to. */
const words: { [Event in NoticeEvent]: (notice: Read<Event>) => Words } = {
  'payment.failed': ({ ctx, ref }) =>
    ofPayment(ctx, ref, (payment) => ({
      text: kindOf(payment).failed(moneyOf(ctx, payment), recipientOf(payment)),
      detail: payment.error_message,
    })),
  'payment.refused': ({ ctx, ref, times }) =>
    ofPayment(ctx, ref, (payment) => {
      const [agent, last] = [agentOf(ctx, payment.agent_id), moneyTo(ctx, payment)]
      return times === 1
        ? { text: `${agent} was refused ${last}`, detail: payment.error_message }
        : {
            text: `${agent} was refused ${times} payments`,
            detail: `The last: ${last}. ${payment.error_message ?? ''}`,
          }
    }),
  'approval.expired': ({ ctx, ref }) => {
    const approval = ctx.store.approval(ref)
    const payment = approval?.payment_id ? ctx.store.payment(approval.payment_id) : null
    return {
      text: `Nobody answered when ${agentOf(ctx, approval?.agent_id ?? null)} asked for ${payment ? moneyOf(ctx, payment) : 'a higher budget'}`,
      detail: payment ? 'Nothing was paid.' : 'The budget stays as it is.',
      subject: { type: 'approval', id: ref },
    }
  },
  'payout.withdrawn': ({ ctx, ref }) =>
    ofPayout(ctx, ref, (payment) => ({ text: `${recipientOf(payment)} claimed ${moneyOf(ctx, payment)}` })),
  'payout.reclaimed': ({ ctx, ref, times, data }) =>
    ofPayout(ctx, ref, (payment) => {
      const last = `${moneyOf(ctx, payment)} for ${recipientOf(payment)}`
      return times === 1
        ? { text: `${last} came back`, detail: data.by === 'expiry' ? 'It was not claimed in time.' : null }
        : { text: `${times} payouts came back`, detail: `The last: ${last}.` }
    }),
  'wallet.failed': ({ ctx, ref }) =>
    ofWallet(ctx, ref, (name) => ({
      text: `${name} could not be deployed`,
      detail: 'You can try again.',
    })),
  'wallet.halted': ({ ctx, ref, data }) =>
    ofWallet(ctx, ref, (name, _, wallet) => {
      const { what, next } = haltText(data.kind as HaltKind, wallet.kind)
      return { text: `Payments from ${name} are stopped`, detail: `${what} ${next}` }
    }),
  'wallet.withdrawn': ({ ctx, ref, data }) =>
    ofWallet(ctx, ref, (name, isTest) => ({
      text: `${formatMoney({ amount: String(data.amount), isTest })} left ${name} without Bursar`,
      detail: `To ${short(String(data.to))}`,
      nameless: namelessAddress(String(data.to)),
    })),
  'session.ending': ({ ctx, ref, data }) =>
    ofWallet(ctx, ref, (name) => {
      const agents = agentsOf(ctx.store, ref).map((agent) => oneLine(agent, 40) ?? 'Unnamed')
      return {
        text: `The session key of ${name} ends in ${data.days === 1 ? '1 day' : `${data.days} days`}`,
        detail: `${agents.length > 0 ? `${namesText(agents)} can’t pay after that. ` : ''}Rotate it to go on paying from this wallet.`,
      }
    }),
  'wallet.refill_refused': ({ ctx, ref, data }) =>
    ofWallet(ctx, ref, (name) => {
      const agents = agentsOf(ctx.store, ref, purchaseScope).map((agent) => oneLine(agent, 40) ?? 'Unnamed')
      return {
        text: `The purchase allowance of ${name} can’t be renewed`,
        detail: `${agents.length > 0 ? `Once it is used up, ${namesText(agents)} can’t buy. ` : ''}${data.why}`,
      }
    }),
  'connection.created': ({ ctx, ref, data }) => ({
    text: `${data.app} is connected as ${agentOf(ctx, String(data.agent))}`,
    detail: 'Revoke it under Connected apps if you did not connect it.',
    subject: { type: 'connection', id: ref },
  }),
  'connection.revoked': ({ ctx, ref, data }) => ({
    text: `${data.app} can no longer act as ${agentOf(ctx, String(data.agent))}`,
    detail:
      data.why === 'app'
        ? 'It ended the connection itself.'
        : 'One of its codes was used twice, so somebody may have copied it. Connect the app again if you need it.',
    subject: { type: 'connection', id: ref },
  }),
  'connection.token_reused': ({ ref, data }) => ({
    text: `${data.app} is used in several places at once`,
    detail:
      'In one day it renewed its access more than 20 times with tokens that had been replaced. Several windows of one program ' +
      'do this. If you use it in one place, somebody may have copied its token: end the connection.',
    subject: { type: 'connection', id: ref },
  }),
  'group.budget_reached': ({ ctx, ref, data }) => {
    const name = oneLine(ctx.store.anyGroup(ref)?.name ?? null, 60) ?? 'a policy group'
    return {
      text:
        Number(data.percent) >= 100
          ? `The budget of ${name} is used up`
          : `The budget of ${name} is ${data.percent}% used`,
      detail: null,
      subject: { type: 'group', id: ref },
    }
  },
  'account.restored': ({ ref }) => ({
    text: 'Your account was restored from a backup',
    detail: 'Policy groups are paused. Review their rules, then resume them.',
    subject: { type: 'restore', id: ref },
  }),
  'account.suspended': () => ({
    text: 'Your account is suspended',
    detail: 'Agents cannot pay. Please contact support.',
    subject: null,
  }),
  'webhook.disabled': ({ ref, data }) => ({
    text: `Your webhook at ${data.host} is switched off`,
    detail: `Because ${whyDisabled[data.reason as DisableReason]}.`,
    subject: { type: 'webhook', id: ref },
  }),
  'account.password_changed': ({ ctx, event, ref, data }) => ({
    ...changeWords(ctx, { event, ref, data }),
    detail: 'See what was added or changed in the last 30 days, and end what you do not know.',
    subject: { type: 'changes', id: 'made' },
  }),
  'webhook.created': ofChange,
  'webhook.changed': ofChange,
  'webhook.secret_rotated': ofChange,
  'agent.created': ofChange,
  'agent.credential_replaced': ofChange,
  'wallet.imported': ofChange,
  'wallet.deleted': ofChange,
  'wallet.key_viewed': ofChange,
  'account.second_person_set': ofChange,
  'person.invited': ofChange,
  'person.joined': ofChange,
  'person.role_changed': ofChange,
  'person.left': changeOf,
  'run.denied': changeOf,
  'run.stopped': changeOf,
  'run.waiting': ({ ref, data }) => ({
    text: `The payout run “${data.title}” waits for a decision`,
    detail: null,
    subject: { type: 'run', id: ref },
  }),
  'run.expired': ({ ref, data }) => ({
    text: `Nobody decided about the payout run “${data.title}” in time`,
    detail: 'Nothing was paid.',
    subject: { type: 'run', id: ref },
  }),
  'run.finished': ({ ref, data }) => ({
    text: `The payout run “${data.title}” is done`,
    detail: null,
    subject: { type: 'run', id: ref },
  }),
}

function changeOf({ ctx, event, ref, data }: Read<NoticeEvent & ChangeEvent>): Words {
  return changeWords(ctx, { event, ref, data })
}

/** A change that somebody else may have made. */
function ofChange(notice: Read<NoticeEvent & ChangeEvent>): Words {
  const { detail, ...words } = changeOf(notice)
  return { ...words, detail: [detail, notYou].filter(Boolean).join(' ') }
}

const notYou = 'If this was not you, choose a new password.'

function ofPayment(ctx: Context, id: string, words: (payment: PaymentRow) => Omit<Words, 'subject'>): Words {
  const payment = ctx.store.payment(id)
  // Refusals and notices are both deleted after 30 days, but not at the same moment.
  if (!payment) return { text: 'A payment was not made', detail: null, subject: null }
  return { ...words(payment), nameless: namelessOf(payment), subject: { type: 'payment', id } }
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
    ...words(walletNameOf(wallet), isTestChain(wallet.chain_id), wallet),
    subject: { type: 'wallet', id },
  }
}
