import { deleteWebhookRow, writeWebhook } from '../../../db/webhooks.ts'
import type { Context } from '../../core/context.ts'
import type { WebhookRow } from '../../core/storage/rows.ts'
import type { Rows } from '../../core/storage/tableRows.ts'
import { type Entry, markSent, nextEdition } from '../entries.ts'

/** Hands these events to the WebhookSender, which keeps them until each webhook has received them. */
export async function sendEvents(ctx: Context, entries: Entry[]): Promise<void> {
  const { store } = ctx
  const events = entries.flatMap(({ ref }) => {
    const row = store.first<Rows['webhook_event']>('SELECT * FROM webhook_event WHERE id = ?', ref)
    return row ? [{ ...row, endpoints: JSON.parse(row.endpoints) as string[] }] : []
  })
  await ctx.env.WEBHOOK_SENDER.getByName(ctx.userId).accept(events)
  store.transaction(() => {
    for (const entry of entries) {
      store.run('DELETE FROM webhook_event WHERE id = ?', entry.ref)
      markSent(ctx, entry)
    }
  })
}

/** Writes to D1 whether the webhook is on, so that operators can count webhooks. */
export async function countWebhook(ctx: Context, entry: Entry): Promise<void> {
  const { store, db, userId } = ctx
  const edition = nextEdition(ctx)
  const row = store.webhook(entry.ref)
  if (!row) await deleteWebhookRow(db, entry.ref)
  else await writeWebhook(db, { id: row.id, userId, state: stateOf(row), edition })
  markSent(ctx, entry)
}

export const stateOf = (row: WebhookRow) =>
  row.enabled === 1 ? 'on' : row.disabled_reason === null ? 'off' : 'disabled'
