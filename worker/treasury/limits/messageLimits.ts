import { mailboxOf } from '#domain/email.ts'
import { dayEndsAt, utcDay } from '#domain/gasAllowance.ts'
import type { Channel } from '../../notifications/message.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { limitRefusal } from './limitRefusal.ts'

/**
 * Messages to recipients of payouts, limited per UTC day. A payout is refused if its message would exceed a limit, because
 * its code is only sent by message. Account mail and notices to the owner are counted elsewhere.
 */
export type MessageTo = { channel: Channel; recipient: string }

/** Where the message of a payout goes; null for a payment to an address. */
export function messageTo({ email, phone }: { email: string | null; phone: string | null }): MessageTo | null {
  if (email !== null) return { channel: 'email', recipient: email }
  return phone === null ? null : { channel: 'sms', recipient: phone }
}

/** What the limit of one recipient counts: the mailbox or the phone number. */
export const countedAs = ({ channel, recipient }: MessageTo): string =>
  channel === 'email' ? mailboxOf(recipient) : recipient

/** Null if one more message may be sent. `agentId` is null for the owner. */
export function messageRefusal(ctx: Context, agentId: string | null, to: MessageTo): Refused | null {
  const { limits } = ctx
  const sent = readCounts(ctx, to)
  const perDay = to.channel === 'email' ? limits.emailsPerDay : limits.smsPerDay
  const perAgent = Math.floor((perDay * limits.agentMessagePercent) / 100)
  const what = to.channel === 'email' ? 'emails' : 'text messages'
  if (sent.byAll >= perDay)
    return refusal(ctx, 'limits.messages', `This account may send ${perDay} ${what} to recipients a day.`)
  if (agentId !== null && sent.by(agentId) >= perAgent)
    return refusal(ctx, 'limits.agent_messages', `This agent may send ${perAgent} ${what} to recipients a day.`)
  if (sent.toRecipient >= limits.messagesPerRecipient)
    return refusal(
      ctx,
      'limits.recipient_messages',
      `This account may send one recipient ${limits.messagesPerRecipient} messages a day.`,
    )
  return null
}

/** Code renewals requested by recipients have a daily limit of the same size, counted separately from the sender's. */
export function renewalRefusal(ctx: Context, to: MessageTo): Refused | null {
  const perDay = to.channel === 'email' ? ctx.limits.emailsPerDay : ctx.limits.smsPerDay
  if (readCounts(ctx, to).by(recipientPrincipal) < perDay) return null
  return refusal(ctx, 'limits.renewals', 'Too many new codes were sent for this sender today.')
}

/** The refusal when new accounts together have sent a recipient too many messages; its own object counts them. */
export const newAccountRefusal = (ctx: Context): Refused =>
  refusal(ctx, 'limits.new_account_messages', 'This recipient was sent too many messages by new accounts today.')

const recipientPrincipal = 'recipient'

/** Called inside the transaction that queues the message. */
export function countMessage(ctx: Context, by: { agentId: string | null } | 'recipient', to: MessageTo): void {
  const raise = (recipient: string, principal: string) =>
    ctx.store.insert(
      'sent_message',
      { day: utcDay(ctx.now()), channel: to.channel, recipient, principal, count: 1 },
      'ON CONFLICT DO UPDATE SET count = count + 1',
    )
  if (by === 'recipient') return void raise('', recipientPrincipal)
  raise('', by.agentId ?? 'owner')
  raise(countedAs(to), '')
  raise('', '')
}

/** Deletes the counts of earlier days. */
export const pruneMessages = ({ store, now }: Context) =>
  store.run('DELETE FROM sent_message WHERE day < ?', utcDay(now()))

function readCounts(ctx: Context, to: MessageTo) {
  const count = (recipient: string, principal: string): number =>
    ctx.store.first<{ count: number }>(
      'SELECT count FROM sent_message WHERE day = ? AND channel = ? AND recipient = ? AND principal = ?',
      utcDay(ctx.now()),
      to.channel,
      recipient,
      principal,
    )?.count ?? 0
  return {
    byAll: count('', ''),
    by: (principal: string) => count('', principal),
    toRecipient: count(countedAs(to), ''),
  }
}

function refusal(ctx: Context, rule: string, limit: string): Refused {
  const now = ctx.now()
  return limitRefusal(now, 'message_limit', {
    rule,
    message: `${limit} This limit resets at 00:00 UTC.`,
    next: 'Wait until resets_at, or pay an address instead.',
    resetsAt: dayEndsAt(now),
  })
}
