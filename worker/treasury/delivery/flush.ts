import { logError } from '../../observability/log.ts'
import type { Context } from '../core/context.ts'
import { mailKinds, pushKinds } from '../outbox/enqueue.ts'
import { defer, dueEntries, type Entry } from '../outbox/entries.ts'
import { keepSalt } from './history.ts'
import { pushApprovals, sendMail } from './mail.ts'
import { updateDesk, writeClaimLink } from './readModel.ts'
import { reportTrouble } from './troubles.ts'
import { countWebhook, sendEvents } from './webhooks.ts'

const mailsAtOnce = 10

/**
 * Sends the entries of the outbox. Rounds of one kind never overlap, so that none removes an entry whose newer change
 * another has yet to send, and no message is sent twice.
 */
export class Outbox {
  readonly #context: Context
  readonly #rounds = { data: Promise.resolve(), mail: Promise.resolve(), events: Promise.resolve() }

  constructor(context: Context) {
    this.#context = context
  }

  /** Sends links, claim pages and troubles for alerts. Entries that fail are deferred. */
  flush(): Promise<void> {
    return this.#next('data', flushData)
  }

  /** Separate from `flush`, so that no new payout waits for webhook events. */
  flushEvents(): Promise<void> {
    return this.#next('events', flushEvents)
  }

  /** Separate from `flush`, so that a slow provider does not delay new payouts. */
  flushMail(): Promise<void> {
    return this.#next('mail', flushMail)
  }

  #next(kind: 'data' | 'mail' | 'events', flush: (ctx: Context) => Promise<void>): Promise<void> {
    const round = () => flush(this.#context)
    this.#rounds[kind] = this.#rounds[kind].then(round, round)
    return this.#rounds[kind]
  }

  /**
   * Flushes. Returns whether D1 has the payout's link, and History the salt of its keys. If not, the payout must not be
   * returned.
   */
  async syncLink(payoutId: string): Promise<boolean> {
    await this.flush()
    const { store } = this.#context
    const waits = "SELECT 1 FROM outbox WHERE kind = 'link' AND ref = ?"
    return store.first(waits, payoutId) === null && store.meta('salt_kept') === true
  }
}

async function flushData(ctx: Context): Promise<void> {
  // Sent before links, so that no payout is shown while its key could be lost with this object.
  const links = dueEntries(ctx, ['link'])
  if (links.length > 0) await attempt(ctx, [], () => keepSalt(ctx))
  for (const entry of links) await attempt(ctx, [entry], () => writeClaimLink(ctx, entry))
  for (const entry of dueEntries(ctx, ['desk'])) await attempt(ctx, [entry], () => updateDesk(ctx, entry))
  for (const entry of dueEntries(ctx, ['trouble'])) await attempt(ctx, [entry], () => reportTrouble(ctx, entry))
  for (const entry of dueEntries(ctx, ['webhook'])) await attempt(ctx, [entry], () => countWebhook(ctx, entry))
}

async function flushEvents(ctx: Context): Promise<void> {
  const events = dueEntries(ctx, ['event'])
  if (events.length > 0) await attempt(ctx, events, () => sendEvents(ctx, events))
}

async function flushMail(ctx: Context): Promise<void> {
  const { store, now } = ctx
  const pushes = dueEntries(ctx, pushKinds).map((entry) => attempt(ctx, [entry], () => pushApprovals(ctx, entry)))
  await Promise.all([
    ...pushes,
    ...dueEntries(ctx, mailKinds, mailsAtOnce).map(async (entry) => {
      // A message must never contain a link that does not work yet.
      if (store.first("SELECT 1 FROM outbox WHERE kind IN ('link','desk') AND ref = ?", entry.ref))
        store.run('UPDATE outbox SET due_at = ? WHERE kind = ? AND ref = ?', now() + 1_000, entry.kind, entry.ref)
      else await attempt(ctx, [entry], () => sendMail(ctx, entry))
    }),
  ])
}

async function attempt(ctx: Context, entries: Entry[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logError('outbox_failed', { user: ctx.userId, kind: entries[0]?.kind, ref: entries[0]?.ref }, error)
    for (const entry of entries) defer(ctx, entry)
  }
}
