import { logError } from '../../observability/log.ts'
import type { Context } from '../core/context.ts'
import { mailKinds, pushKinds } from '../outbox/enqueue.ts'
import { batchSize, defer, dueEntries, type Entry } from '../outbox/entries.ts'
import { writeBackup } from './backup.ts'
import { pushApprovals, sendMail } from './mail.ts'
import { updateDesk, writeReadModel } from './readModel.ts'
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

  /** Sends claim pages, troubles for alerts and the read model. Entries that fail are deferred. */
  flush(): Promise<void> {
    return this.#next('data', flushData)
  }

  /** Separate from `flush`, so that no new payout waits for webhook events. */
  flushEvents(): Promise<void> {
    return this.#next('events', flushEvents)
  }

  /** Separate from `flush`, so that a slow provider does not delay lists and new payouts. */
  flushMail(): Promise<void> {
    return this.#next('mail', flushMail)
  }

  #next(kind: 'data' | 'mail' | 'events', flush: (ctx: Context) => Promise<void>): Promise<void> {
    const round = () => flush(this.#context)
    this.#rounds[kind] = this.#rounds[kind].then(round, round)
    return this.#rounds[kind]
  }

  /** Writes what D1's lists and its copies lack, in at most five rounds, so that a busy Treasury cannot hold up a reader. */
  async syncReadModel(): Promise<void> {
    const { store, now } = this.#context
    const waits = "SELECT 1 FROM outbox WHERE kind IN ('payment','payout','kept') AND due_at <= ? LIMIT 1"
    for (let round = 0; round < 5 && store.first(waits, now()); round++) await this.flush()
  }

  /**
   * Sends only what the payout's link needs. Returns whether the ClaimDesk has the payout, and D1 the salt of its keys. If
   * not, the link must not be shown.
   */
  async syncDesk(payoutId: string): Promise<boolean> {
    await this.#next('data', (ctx) => flushDesk(ctx, payoutId))
    return linkWaitsFor(this.#context, payoutId).length === 0
  }
}

async function flushData(ctx: Context): Promise<void> {
  const kept = dueEntries(ctx, ['kept'], batchSize)
  if (kept.length > 0) await attempt(ctx, kept, () => writeBackup(ctx, kept))
  for (const entry of dueEntries(ctx, ['desk'])) await attempt(ctx, [entry], () => updateDesk(ctx, entry))
  for (const entry of dueEntries(ctx, ['trouble'])) await attempt(ctx, [entry], () => reportTrouble(ctx, entry))
  for (const entry of dueEntries(ctx, ['webhook'])) await attempt(ctx, [entry], () => countWebhook(ctx, entry))
  const rows = dueEntries(ctx, ['payment', 'payout'], batchSize)
  if (rows.length > 0) await attempt(ctx, rows, () => writeReadModel(ctx, rows))
}

/** What must be sent before a payout's link works, and before its key could no longer be lost with this object. */
const linkWaitsFor = ({ store }: Context, payoutId: string): Entry[] =>
  store.all<Entry>(
    `SELECT kind, ref, seq, failures FROM outbox
     WHERE (kind = 'desk' AND ref = ?) OR (kind = 'kept' AND ref = 'salt')`,
    payoutId,
  )

async function flushDesk(ctx: Context, payoutId: string): Promise<void> {
  const send = (entry: Entry) => (entry.kind === 'desk' ? updateDesk(ctx, entry) : writeBackup(ctx, [entry]))
  await Promise.all(linkWaitsFor(ctx, payoutId).map((entry) => attempt(ctx, [entry], () => send(entry))))
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
      if (linkWaitsFor(ctx, entry.ref).length > 0)
        store.run('UPDATE outbox SET due_at = ? WHERE kind = ? AND ref = ?', now() + 1_000, entry.kind, entry.ref)
      else await attempt(ctx, [entry], () => sendMail(ctx, entry))
    }),
  ])
}

async function attempt(ctx: Context, entries: Entry[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logError('outbox_failed', { user: ctx.userId, kind: entries[0]?.kind, ref: entries[0]?.ref }, error)
    for (const entry of entries) defer(ctx, entry)
  }
}
