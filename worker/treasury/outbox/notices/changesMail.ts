import { type ToldChange, toldChanges } from '#domain/events.ts'
import { findUserContact } from '../../../db/users.ts'
import type { Message } from '../../../notifications/message.ts'
import { changesMessage } from '../../../notifications/ownerMessages.ts'
import type { Context } from '../../core/context.ts'
import type { AuditRow } from '../../core/storage/eventTables.ts'
import { changeWords } from './changeWords.ts'

/** The changes named in one message; the page has all of them. */
const maxNamed = 10

/** The row up to which the message in progress tells, by object: it counts as told once the message was accepted. */
const composed = new WeakMap<Context, number>()

/** The message about the changes that the owner was not told of yet; null if there are none. */
export async function changesMade(ctx: Context): Promise<Message | null> {
  const { store } = ctx
  const owner = await findUserContact(ctx.db, ctx.userId)
  const from = store.meta('changes_mailed')?.seq ?? 0
  const told = store
    .all<AuditRow & { event: ToldChange }>(
      'SELECT * FROM audit WHERE shown IS NOT NULL AND seq > ? AND event IN (SELECT value FROM json_each(?)) ORDER BY seq',
      from,
      JSON.stringify(toldChanges),
    )
    .map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }))
    // The connection of an app tells of its agent.
    .filter(({ event, data }) => event !== 'agent.created' || data.connection === undefined)
  const last = told.at(-1)
  if (!owner || !last) return null
  composed.set(ctx, last.seq)
  return changesMessage({
    id: `changes:${ctx.userId}:${last.seq}`,
    to: owner.email,
    changes: told.slice(0, maxNamed).map((row) => ({ ...changeWords(ctx, row), at: row.at })),
    more: Math.max(0, told.length - maxNamed),
    appOrigin: ctx.env.APP_ORIGIN,
  })
}

export function changesMailed(ctx: Context): void {
  const seq = composed.get(ctx)
  if (seq !== undefined) ctx.store.setMeta('changes_mailed', { seq, at: ctx.now() })
}
