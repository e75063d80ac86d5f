import { logError } from '../../../observability/log.ts'
import type { Context } from '../../core/context.ts'
import { pushRun } from '../../runs/notices.ts'
import { mailKinds, pushKinds } from '../enqueue.ts'
import { defer, dueEntries, type Entry } from '../entries.ts'
import { updateDesk } from './desk.ts'
import { keepSalt } from './history.ts'
import { pushApprovals, sendMail, sendReturns } from './mail.ts'
import { writeMembership } from './memberships.ts'
import { reportTrouble } from './troubles.ts'
import { countWebhook, sendEvents } from './webhooks.ts'

const mailsAtOnce = 10
const singleMails = mailKinds.filter((kind) => kind !== 'mail.payout_returned')
/** A message about more returned payouts than this is split. */
const returnsAtOnce = 500

/**
 * Sends the entries of the outbox. Rounds of a kind run one at a time: otherwise one round could delete an entry whose newer change
 * is still unsent, and messages could be sent twice.
 */
export class Outbox {
  readonly #context: Context
  readonly #rounds = { data: Promise.resolve(), mail: Promise.resolve(), events: Promise.resolve() }

  constructor(context: Context) {
    this.#context = context
  }

  /** Sends claim pages, troubles for alerts and memberships. Entries that fail are deferred. */
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
   * Sends only what the payout's link needs. Returns whether the ClaimDesk has the payout, and History the salt of its keys. If
   * not, the link must not be shown.
   */
  async syncDesk(payoutId: string): Promise<boolean> {
    await this.#next('data', (ctx) => flushDesk(ctx, payoutId))
    return isLinkReady(this.#context, payoutId)
  }
}

async function flushData(ctx: Context): Promise<void> {
  for (const entry of dueEntries(ctx, ['desk'])) await attempt(ctx, [entry], () => updateDesk(ctx, entry))
  for (const entry of dueEntries(ctx, ['trouble'])) await attempt(ctx, [entry], () => reportTrouble(ctx, entry))
  for (const entry of dueEntries(ctx, ['webhook'])) await attempt(ctx, [entry], () => countWebhook(ctx, entry))
  for (const entry of dueEntries(ctx, ['membership'])) await attempt(ctx, [entry], () => writeMembership(ctx, entry))
}

const deskEntries = ({ store }: Context, payoutId: string): Entry[] =>
  store.all<Entry>("SELECT kind, ref, seq, failures FROM outbox WHERE kind = 'desk' AND ref = ?", payoutId)

/** True once the payout's link works, and its key could no longer be lost with this object. */
const isLinkReady = (ctx: Context, payoutId: string): boolean =>
  deskEntries(ctx, payoutId).length === 0 && !isSaltAtRisk(ctx)

const isSaltAtRisk = ({ store }: Context): boolean =>
  !store.meta('salt_kept') && store.first('SELECT 1 FROM kept_salt') !== null

async function flushDesk(ctx: Context, payoutId: string): Promise<void> {
  const desks = deskEntries(ctx, payoutId).map((entry) => attempt(ctx, [entry], () => updateDesk(ctx, entry)))
  await Promise.all([...desks, saveSalt(ctx)])
}

async function saveSalt(ctx: Context): Promise<void> {
  if (isSaltAtRisk(ctx)) await attempt(ctx, [], () => keepSalt(ctx))
}

async function flushEvents(ctx: Context): Promise<void> {
  const events = dueEntries(ctx, ['event'])
  if (events.length > 0) await attempt(ctx, events, () => sendEvents(ctx, events))
}

async function flushMail(ctx: Context): Promise<void> {
  const { store, now } = ctx
  await saveSalt(ctx)
  const pushes = dueEntries(ctx, pushKinds).map((entry) =>
    attempt(ctx, [entry], () => (entry.kind === 'push.run' ? pushRun : pushApprovals)(ctx, entry)),
  )
  const returns = dueEntries(ctx, ['mail.payout_returned'], returnsAtOnce)
  await Promise.all([
    ...pushes,
    ...(returns.length > 0 ? [attempt(ctx, returns, () => sendReturns(ctx, returns))] : []),
    ...dueEntries(ctx, singleMails, mailsAtOnce).map(async (entry) => {
      // A message must never contain a link that does not work yet.
      if (!isLinkReady(ctx, entry.ref))
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
