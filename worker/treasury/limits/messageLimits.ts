import { mailboxOf } from '#domain/email.ts'
import { dayEndsAt, utcDay } from '#domain/gasAllowance.ts'
import { type CountedName, messagesPerAgent } from '#domain/limitList.ts'
import type { Channel } from '../../notifications/message.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { runs, type Spender } from '../core/spender.ts'
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

/** Null if one more message may be sent. */
export function messageRefusal(ctx: Context, spender: Spender, to: MessageTo): Refused | null {
  const { limits } = ctx
  const { channel } = to
  const sent = readCounts(ctx, to)
  if (sent.byAll >= perDay(ctx, channel)) return refusal(ctx, `messages by ${channel}`)
  if (spender !== null && sent.by(spender) >= messagesPerAgent[channel](limits))
    return refusal(ctx, spender === runs ? `run_messages by ${channel}` : `agent_messages by ${channel}`)
  return sent.toRecipient >= limits.messagesPerRecipient ? refusal(ctx, 'recipient_messages') : null
}

const perDay = ({ limits }: Context, channel: Channel) => (channel === 'email' ? limits.emailsPerDay : limits.smsPerDay)

/** Code renewals requested by recipients have a daily limit of the same size, counted separately from the sender's. */
export function renewalRefusal(ctx: Context, to: MessageTo): Refused | null {
  return readCounts(ctx, to).by(recipientPrincipal) < perDay(ctx, to.channel) ? null : refusal(ctx, 'renewals')
}

/** The refusal when new accounts together have sent a recipient too many messages; its own object counts them. */
export const newAccountRefusal = (ctx: Context): Refused => refusal(ctx, 'new_account_messages')

const recipientPrincipal = 'recipient'

/** Called inside the transaction that queues the message. */
export function countMessage(ctx: Context, by: { spender: Spender } | 'recipient', to: MessageTo): void {
  const raise = (recipient: string, principal: string) =>
    ctx.store.insert(
      'sent_message',
      { day: utcDay(ctx.now()), channel: to.channel, recipient, principal, count: 1 },
      'ON CONFLICT DO UPDATE SET count = count + 1',
    )
  if (by === 'recipient') return void raise('', recipientPrincipal)
  raise('', by.spender ?? 'owner')
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

/** Messages of a channel that were sent today: by one spender, and by all of the account. */
export function messagesToday(ctx: Context, channel: Channel, spender: string): { byRun: number; byAll: number } {
  const counts = readCounts(ctx, { channel, recipient: '' })
  return { byRun: counts.by(spender), byAll: counts.byAll }
}

const refusal = (ctx: Context, limit: CountedName) => limitRefusal(ctx, limit, dayEndsAt(ctx.now()))
