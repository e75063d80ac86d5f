import { formatUsdc, saturatingSub } from '#domain/money.ts'
import { isTestChain } from '#domain/networks.ts'
import { purchaseScope } from '#domain/scopes.ts'
import { keyWarning } from '#domain/sessionKey.ts'
import { checksumAddress } from '#domain/validators.ts'
import { primaryChain, transactionUrl } from '../../../chain/networkSettings.ts'
import { findUserContact } from '../../../db/users.ts'
import { approvalNotice as pushNotice } from '../../../notifications/approvalMessages.ts'
import { type Message, messageProviderFrom } from '../../../notifications/messageProvider.ts'
import {
  accountRestoredMessage,
  budgetMessage,
  monthMessage,
  refillRefusedMessage,
  sessionEndingMessage,
  walletHaltedMessage,
  webhookDisabledMessage,
} from '../../../notifications/ownerMessages.ts'
import {
  payoutClaimedMessage,
  payoutLinkMessage,
  payoutReceiptMessage,
  payoutReminderMessage,
  payoutsReturnedMessage,
} from '../../../notifications/payoutMessages.ts'
import { secondPersonMessage, withdrawalMessage } from '../../../notifications/peopleMessages.ts'
import { pushToUser } from '../../../notifications/pushToUser.ts'
import {
  accountFor,
  approvalNotice,
  deciderOf,
  recordEmail,
  recordPush,
  waitingInBatch,
} from '../../approvals/notices.ts'
import { accountName } from '../../core/callers.ts'
import type { Context } from '../../core/context.ts'
import { formatColumn, fromColumn } from '../../core/storage/columns.ts'
import { presentMember } from '../../core/storage/members.ts'
import type { MemberRow } from '../../core/storage/memberTable.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { secondPersonAbove } from '../../limits/secondPerson.ts'
import { lastMonth } from '../../payments/month.ts'
import { claimUrlOf, eraseSentCodes, openCode } from '../../payments/payouts/codes.ts'
import { runEnded, runWaiting } from '../../runs/notices.ts'
import { agentsOf, lifeOf } from '../../wallets/endingKeys.ts'
import type { MailKind } from '../enqueue.ts'
import { type Entry, markSent } from '../entries.ts'
import { changesMade, changesMailed } from '../notices/changesMail.ts'

/**
 * Messages are composed when they are sent and never stored; a code is unsealed only for that moment. A composer returns
 * null if there is no longer a reason to send the message.
 */
const composers: Record<
  Exclude<MailKind, 'mail.payout_returned'>,
  (ctx: Context, ref: string) => Promise<Message | null>
> = {
  'mail.payout_link': payoutLink,
  'mail.payout_reminder': payoutReminder,
  'mail.payout_claimed': payoutClaimed,
  'mail.payout_receipt': payoutReceipt,
  'mail.budget_reached': budgetReached,
  'mail.wallet_stopped': walletStopped,
  'mail.session_ending': sessionEnding,
  'mail.refill_refused': refillRefused,
  'mail.approvals': approvalNotice,
  'mail.run_waiting': runWaiting,
  'mail.run_ended': runEnded,
  'mail.changes': changesMade,
  'mail.second_person': secondPersonChanged,
  'mail.withdrawal': withdrawn,
  'mail.webhook_disabled': webhookDisabled,
  'mail.account_restored': accountRestored,
  'mail.month': monthEnded,
}

export async function sendMail(ctx: Context, entry: Entry): Promise<void> {
  const message = await composers[entry.kind as keyof typeof composers](ctx, entry.ref)
  try {
    if (message) await messageProviderFrom(ctx.env).send(message)
  } catch (error) {
    if (entry.kind === 'mail.approvals') recordEmail(ctx, entry.ref, 'failed')
    throw error
  }
  if (message && entry.kind === 'mail.approvals') recordEmail(ctx, entry.ref, 'accepted')
  if (message && entry.kind === 'mail.changes') changesMailed(ctx)
  markSent(ctx, entry)
  if (entry.kind === 'mail.payout_link') eraseSentCodes(ctx)
}

/** The fields of every message to a payout's recipient. */
async function toRecipient(ctx: Context, payout: PayoutRow) {
  const payment = ctx.store.payment(payout.id)!
  return {
    payoutId: payout.id,
    to: payment.recipient_email ?? payment.recipient_phone ?? '',
    channel: payment.recipient_email === null ? ('sms' as const) : ('email' as const),
    senderName: payout.sender_name,
    ...amountOf(ctx, payout),
    claimUrl: await claimUrlOf(ctx, payout),
    expiresAt: payout.expires_at,
  }
}

const amountOf = (ctx: Context, payout: PayoutRow) => ({
  amount: formatColumn(payout.amount),
  isTest: isTestChain(ctx.store.wallet(payout.wallet_id)!.chain_id),
})

async function payoutLink(ctx: Context, payoutId: string): Promise<Message | null> {
  const payout = ctx.store.payout(payoutId)!
  const code = await openCode(ctx, payout)
  if (code === null || payout.taken_down_at !== null) return null
  return payoutLinkMessage({
    id: `payout-link:${payout.id}:${payout.code_version}`,
    ...(await toRecipient(ctx, payout)),
    memo: ctx.store.payment(payoutId)!.memo,
    code,
  })
}

async function payoutReminder(ctx: Context, payoutId: string): Promise<Message | null> {
  const payout = ctx.store.payout(payoutId)!
  if (payout.status !== 'CREATED' || payout.taken_down_at !== null) return null
  return payoutReminderMessage({
    id: `payout-reminder${payout.reminded}:${payout.id}`,
    ...(await toRecipient(ctx, payout)),
  })
}

/** An ended payout, as messages to the owner name it. */
function endedPayout(ctx: Context, payoutId: string) {
  const payout = ctx.store.payout(payoutId)!
  const payment = ctx.store.payment(payoutId)!
  return { payoutId, ...amountOf(ctx, payout), recipient: payment.recipient_email ?? payment.recipient_phone ?? '' }
}

async function payoutClaimed(ctx: Context, payoutId: string): Promise<Message | null> {
  const owner = await findUserContact(ctx.db, ctx.userId)
  if (!owner) return null
  const explorerUrl = explorerUrlOf(ctx, ctx.store.payout(payoutId)!)
  return payoutClaimedMessage({ to: owner.email, ...endedPayout(ctx, payoutId), explorerUrl })
}

/** Sends one message about all payouts of these entries: they came back within an hour. */
export async function sendReturns(ctx: Context, entries: readonly Entry[]): Promise<void> {
  const owner = await findUserContact(ctx.db, ctx.userId)
  const payouts = entries.map(({ ref }) => endedPayout(ctx, ref))
  if (owner)
    await messageProviderFrom(ctx.env).send(
      payoutsReturnedMessage({ to: owner.email, payouts, appOrigin: ctx.env.APP_ORIGIN }),
    )
  ctx.store.transaction(() => {
    for (const entry of entries) markSent(ctx, entry)
  })
}

const explorerUrlOf = ({ env, store }: Context, { wallet_id, done_tx }: PayoutRow) =>
  transactionUrl(env, store.wallet(wallet_id)!.chain_id, done_tx)

async function payoutReceipt(ctx: Context, payoutId: string): Promise<Message | null> {
  const payout = ctx.store.payout(payoutId)!
  const payment = ctx.store.payment(payoutId)!
  // A block with the withdrawal may have left the chain.
  if (payout.status !== 'WITHDRAWN' || payout.withdrawn_to === null || payout.done_at === null) return null
  return payoutReceiptMessage({
    payoutId,
    to: payment.recipient_email!,
    ...amountOf(ctx, payout),
    senderName: payout.sender_name,
    memo: payment.memo,
    address: checksumAddress(payout.withdrawn_to),
    at: payout.done_at,
    explorerUrl: explorerUrlOf(ctx, payout),
    keptUrl: payout.kept_domain === null ? null : await claimUrlOf(ctx, payout),
  })
}

async function budgetReached(ctx: Context, groupId: string): Promise<Message | null> {
  const { store, env } = ctx
  const group = store.group(groupId)
  const owner = await findUserContact(ctx.db, ctx.userId)
  if (!group?.spend_limit || !owner) return null
  const limit = fromColumn(group.spend_limit)
  return budgetMessage({
    id: `budget:${groupId}:${group.noticed}:${group.spend_limit}`,
    to: owner.email,
    group: group.name,
    percent: group.noticed,
    limit: formatUsdc(limit),
    remaining: formatUsdc(saturatingSub(limit, fromColumn(group.spent) + fromColumn(group.held))),
    isTest: isTestChain(store.wallet(group.wallet_id)!.chain_id),
    appOrigin: env.APP_ORIGIN,
  })
}

async function walletStopped(ctx: Context, walletId: string): Promise<Message | null> {
  const wallet = ctx.store.liveWallet(walletId)
  const owner = await findUserContact(ctx.db, ctx.userId)
  if (!wallet?.halt_kind || !owner) return null
  const { name, address, halt_kind, kind } = wallet
  return walletHaltedMessage({
    walletId,
    to: owner.email,
    name,
    address,
    halt: halt_kind,
    walletKind: kind,
    appOrigin: ctx.env.APP_ORIGIN,
    now: ctx.now(),
  })
}

async function sessionEnding(ctx: Context, walletId: string): Promise<Message | null> {
  const { store, env } = ctx
  const [wallet, session] = [store.liveWallet(walletId), store.session(walletId)]
  const days = session && keyWarning(lifeOf(session), ctx.now())
  const owner = await findUserContact(ctx.db, ctx.userId)
  // It was rotated in the meantime, or has ended.
  if (!wallet || !session || !days || !owner) return null
  return sessionEndingMessage({
    id: `session-ending:${walletId}:${session.epoch}:${days}`,
    to: owner.email,
    walletId,
    wallet: wallet.name,
    days,
    agents: agentsOf(store, walletId),
    appOrigin: env.APP_ORIGIN,
  })
}

async function refillRefused(ctx: Context, walletId: string): Promise<Message | null> {
  const { store, env } = ctx
  const [wallet, session] = [store.liveWallet(walletId), store.session(walletId)]
  // The session key was replaced in the meantime.
  if (!wallet || !session?.refill_refused) return null
  const owner = await findUserContact(ctx.db, ctx.userId)
  return (
    owner &&
    refillRefusedMessage({
      id: `refill-refused:${walletId}:${session.epoch}`,
      to: owner.email,
      walletId,
      wallet: wallet.name,
      why: session.refill_refused,
      agents: agentsOf(store, walletId, purchaseScope),
      appOrigin: env.APP_ORIGIN,
    })
  )
}

/** `restore` has the form `{restore id}:{time to which the account was restored, ms}`. */
async function accountRestored(ctx: Context, restore: string): Promise<Message | null> {
  const owner = await findUserContact(ctx.db, ctx.userId)
  if (!owner) return null
  const [id, to = ''] = restore.split(':')
  return accountRestoredMessage({
    id: `account-restored:${id}`,
    to: owner.email,
    asOf: Number(to),
    appOrigin: ctx.env.APP_ORIGIN,
  })
}

/** `month` ('YYYY-MM') is the one in which the report was requested: that after the month it is about. */
async function monthEnded(ctx: Context, month: string): Promise<Message | null> {
  const owner = await findUserContact(ctx.db, ctx.userId)
  if (!owner) return null
  const report = lastMonth(ctx, Date.parse(`${month}-01T00:00:00Z`))
  const isTest = isTestChain(primaryChain(ctx.env))
  return monthMessage({ to: owner.email, userId: ctx.userId, report, isTest, appOrigin: ctx.env.APP_ORIGIN })
}

/**
 * To a member: from when how much can leave with one person behind it. Also to one who was removed since: otherwise whoever raises
 * the limit could keep everybody from hearing of it.
 */
async function secondPersonChanged(ctx: Context, memberId: string): Promise<Message | null> {
  const member = ctx.store.first<MemberRow>('SELECT * FROM member WHERE id = ?', memberId)
  if (!member) return null
  const { next } = ctx.store.secondPerson
  const above = secondPersonAbove(ctx)
  return secondPersonMessage({
    id: `second-person:${memberId}:${ctx.now()}`,
    to: member.email,
    account: accountName(ctx.store),
    above: above === null ? null : formatUsdc(above),
    next:
      next && next.at > ctx.now() ? { above: next.above === null ? null : formatUsdc(next.above), at: next.at } : null,
    page: `${ctx.env.APP_ORIGIN}/dashboard/people?account=${ctx.userId}`,
  })
}

/** To a member, `ref` being `{member}:{decimal USDC}:{transaction}`: the owner's key moved more than the limit of one person. */
async function withdrawn(ctx: Context, ref: string): Promise<Message | null> {
  const [memberId = '', amount = '', txHash = ''] = ref.split(':')
  const member = presentMember(ctx.store, memberId)
  if (member?.status !== 'active') return null
  return withdrawalMessage({
    id: `withdrawal:${memberId}:${txHash}`,
    to: member.email,
    account: accountName(ctx.store),
    amount,
    page: `${ctx.env.APP_ORIGIN}/dashboard/transactions?account=${ctx.userId}`,
  })
}

async function webhookDisabled(ctx: Context, webhookId: string): Promise<Message | null> {
  const webhook = ctx.store.webhook(webhookId)
  const owner = await findUserContact(ctx.db, ctx.userId)
  if (!webhook?.disabled_reason || !owner) return null
  const { id, version, url, disabled_reason: reason } = webhook
  return webhookDisabledMessage({
    id: `webhook-disabled:${id}:${version}`,
    to: owner.email,
    url,
    reason,
    appOrigin: ctx.env.APP_ORIGIN,
  })
}

/** Pushes the notice with this ref to the browsers of its person. Throws, for a retry, if no push service accepted it. */
export async function pushApprovals(ctx: Context, entry: Entry): Promise<void> {
  const [first, ...others] = waitingInBatch(ctx, entry.ref)
  const decider = await deciderOf(ctx, entry.ref)
  if (first && decider) {
    const waiting = [first, ...others] as const
    const { personId } = decider
    const ttlSeconds = (Math.max(...waiting.map(({ expiresAt }) => expiresAt)) - ctx.now()) / 1000
    const notice = pushNotice(waiting, accountFor(ctx, personId))
    const state = await pushToUser(ctx.env, ctx.db, personId, notice, ttlSeconds)
    recordPush(ctx, entry.ref, state)
    if (state === 'failed') throw new Error('no push service accepted the notice')
  }
  markSent(ctx, entry)
}
