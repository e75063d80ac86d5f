import { eq } from 'drizzle-orm'
import { deliveredMessage, devInbox } from '../db/accounts.ts'
import { type Db, openDb } from '../db/session.ts'
import type { Env } from '../env.ts'
import { sendEmail } from './email.ts'
import { sendSms } from './sms.ts'

/** `id` is stable per message: sending it again is no second message. `to` is an email address or an E.164 number. */
export type Message = { id: string; to: string; channel: 'email' | 'sms'; subject: string; text: string }

export interface Delivery {
  /** Done once the provider has accepted it. Throws `upstream_unavailable`; then it may be sent again. */
  send(message: Message): Promise<void>
}

/** The local inbox on local stacks and in tests, the configured providers elsewhere. */
export function deliveryFrom(env: Env, db: Db = openDb(env.DB).db, now: () => number = Date.now): Delivery {
  return env.ENVIRONMENT === 'production' ? provider(env, db, now) : inbox(db, now)
}

function inbox(db: Db, now: () => number): Delivery {
  return {
    async send({ id, to, channel, subject, text }) {
      await db.insert(devInbox).values({ id, recipient: to, channel, subject, text, at: now() }).onConflictDoNothing()
    },
  }
}

function provider(env: Env, db: Db, now: () => number): Delivery {
  return {
    async send(message) {
      const { id, channel } = message
      if (await db.select().from(deliveredMessage).where(eq(deliveredMessage.id, id)).get()) return
      await (channel === 'email' ? sendEmail(env, message) : sendSms(env, message))
      // Noted after the fact: a crash in between means a second copy, never a lost code.
      await db.insert(deliveredMessage).values({ id, at: now() }).onConflictDoNothing()
    },
  }
}
