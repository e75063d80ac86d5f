import { isoOf } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import { listDevMessages } from '../db/messages.ts'

const maxMessages = 200

/** A message that was stored instead of sent. `at` is ISO 8601 UTC. */
export type InboxMessage = { id: string; to: string; channel: string; subject: string; text: string; at: string }

/** Messages to one recipient, or to all if `to` is null. Newest first. */
export async function inboxMessages({ db }: Deps, to: string | null): Promise<InboxMessage[]> {
  const rows = await listDevMessages(db, to, maxMessages)
  return rows.map(({ recipient, at, ...rest }) => ({ ...rest, to: recipient, at: isoOf(at) }))
}
