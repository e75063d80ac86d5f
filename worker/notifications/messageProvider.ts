import { type Db, openDb } from '../db/d1.ts'
import { recordChannel, recordDelivery, wasDelivered } from '../db/messages.ts'
import type { Env } from '../env.ts'
import { type Message, type MessageProvider, MessageRefused } from './message.ts'
import { devInbox } from './providers/devInbox.ts'
import { emailProvider, smsProvider } from './providers/fromSettings.ts'

export type { Message, MessageProvider }

/** The dev inbox on local stacks and in tests; each channel's configured provider in production. */
export function messageProviderFrom(
  env: Env,
  db: Db = openDb(env.DB).db,
  now: () => number = Date.now,
): MessageProvider {
  if (env.ENVIRONMENT !== 'production') return devInbox(db, now)
  return {
    async send(message) {
      if (await wasDelivered(db, message.id)) return
      const { id, payoutId = null, channel } = message
      const provider = channel === 'email' ? emailProvider(env, now) : smsProvider(env)
      try {
        await provider.send(message)
      } catch (error) {
        await recordChannel(db, channel, error instanceof MessageRefused, now())
        // The payout shows the failure. A retry would not help; the sender can reclaim the money.
        if (!(error instanceof MessageRefused) || payoutId === null) throw error
        await recordDelivery(db, { id, payoutId, channel, state: 'undelivered' }, now())
        return
      }
      await recordChannel(db, channel, true, now())
      // Recorded after sending, so that a crash in between sends a second copy instead of losing a code.
      await recordDelivery(db, { id, payoutId, channel, state: 'accepted' }, now())
    },
  }
}
