import type { Db } from '../../db/d1.ts'
import { insertDevMessage } from '../../db/messages.ts'
import type { MessageProvider } from '../message.ts'

/** Stores messages for /dev/inbox instead of sending them. */
export const devInbox = (db: Db, now: () => number): MessageProvider => ({
  send: (message) => insertDevMessage(db, message, now()),
})
