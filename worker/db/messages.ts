import { desc, eq, gte, sql } from 'drizzle-orm'
import { type DeliveryState, deliveryStates } from '#domain/delivery.ts'
import { isoOf } from '#domain/time.ts'
import type { Delivery } from '#schemas/escrow.ts'
import type { Db } from './d1.ts'
import { deliveredMessage, devInbox, messageFailure } from './schema.ts'

export async function wasDelivered(db: Db, messageId: string): Promise<boolean> {
  return (await db.$count(deliveredMessage, eq(deliveredMessage.id, messageId))) > 0
}

/**
 * Records the delivery state of a message. An earlier state in `deliveryStates` never replaces a later one, so reports may
 * arrive in any order, repeatedly, and before the vendor's reply that accepted the message.
 */
export async function recordDelivery(
  db: Db,
  message: { id: string; payoutId: string | null; channel: 'email' | 'sms'; state: DeliveryState },
  now: number,
): Promise<void> {
  const rank = (state: unknown) => sql`instr(${`,${deliveryStates.join(',')},`}, ',' || ${state} || ',')`
  await db
    .insert(deliveredMessage)
    .values({ ...message, at: now, stateAt: now })
    .onConflictDoUpdate({
      target: deliveredMessage.id,
      set: { state: message.state, stateAt: now },
      setWhere: sql`${rank(message.state)} > ${rank(deliveredMessage.state)}`,
    })
}

/** Delivery state of the newest message about each of these payouts, by payout id. */
export async function deliveriesOf(db: Db, payoutIds: string[]): Promise<Map<string, Delivery>> {
  if (payoutIds.length === 0) return new Map()
  const rows = await db
    .select()
    .from(deliveredMessage)
    .where(sql`${deliveredMessage.payoutId} IN (SELECT value FROM json_each(${JSON.stringify(payoutIds)}))`)
    .orderBy(deliveredMessage.at)
  return new Map(
    rows.map(({ payoutId, channel, state, stateAt }) => [payoutId!, { channel: channel!, state, at: isoOf(stateAt) }]),
  )
}

/** Does nothing if a message with this id is stored already. */
export async function insertDevMessage(
  db: Db,
  message: { id: string; to: string; channel: 'email' | 'sms'; subject: string; text: string },
  now: number,
): Promise<void> {
  const { to: recipient, ...rest } = message
  await db
    .insert(devInbox)
    .values({ ...rest, recipient, at: now })
    .onConflictDoNothing()
}

/** Newest first. A null `recipient` lists the messages of all recipients. */
export async function listDevMessages(db: Db, recipient: string | null, limit: number) {
  return db
    .select()
    .from(devInbox)
    .where(recipient === null ? undefined : eq(devInbox.recipient, recipient))
    .orderBy(desc(devInbox.at), desc(devInbox.id))
    .limit(limit)
}

/** Records whether a channel's provider accepted the latest message. */
export async function recordChannel(db: Db, channel: 'email' | 'sms', works: boolean, now: number): Promise<void> {
  if (works) await db.delete(messageFailure).where(eq(messageFailure.channel, channel))
  else
    await db
      .insert(messageFailure)
      .values({ channel, since: now, lastAt: now })
      .onConflictDoUpdate({ target: messageFailure.channel, set: { lastAt: now } })
}

/** Channels whose last message was not accepted, if that was after `since` (ms). */
export const failingChannels = (db: Db, since: number) =>
  db.select().from(messageFailure).where(gte(messageFailure.lastAt, since))
