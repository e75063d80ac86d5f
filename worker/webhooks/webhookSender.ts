import { DurableObject } from 'cloudflare:workers'
import { hourMs } from '#domain/time.ts'
import { isFailing, maxConnections, retryForMs } from '#domain/webhookRules.ts'
import { webhookRulesOf } from '#domain/webhookUrl.ts'
import { primaryDb } from '../db/d1.ts'
import { schemaReporter } from '../db/troubles.ts'
import { writeWebhookWork } from '../db/watchdog.ts'
import { areWebhooksStopped, writeWebhookFailing } from '../db/webhooks.ts'
import { Alarms, earliest } from '../durable/alarms.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import type { Env } from '../env.ts'
import { logError } from '../observability/log.ts'
import { notFound, ok } from '../result.ts'
import { treasuryOf } from '../treasuryOf.ts'
import type { OutgoingEvent, WebhookSenderApi, WebhookTarget } from './api.ts'
import { attempt } from './attempt.ts'
import { webhookSenderSchema } from './migrations.ts'
import { afterAttempt, type DueDelivery, SenderStore } from './senderStore.ts'

/** An attempt that a crash interrupted is repeated after this. */
const retryMs = 20_000 // 20 seconds; an attempt takes at most 15
/** How often the sender checks whether it may send again. */
const pausedMs = 60_000 // 1 minute
/** How long the targets are cached. The Treasury reports changes; this covers a report that did not arrive. */
const targetsMs = 5_000 // 5 seconds
const pruneMs = 6 * hourMs
const measureMs = 60_000 // 1 minute

/** The account's webhooks at `askedAt` (ms), and whether operators had suspended the account or stopped all webhooks. */
type Targets = { isStopped: boolean; endpoints: WebhookTarget[]; askedAt: number }

/**
 * Delivers each event to each of its webhooks at least once, in any order. Every webhook has its own connections, so a slow
 * one does not delay the others. An attempt's row is written before it starts, so that a crash repeats it.
 */
export class WebhookSender extends DurableObject<Env> implements WebhookSenderApi {
  /** Replaceable in tests. */
  clock = { now: () => Date.now(), random: () => Math.random() }
  fetcher: typeof fetch = (input, init) => fetch(input, init)
  readonly store: SenderStore
  readonly #schema: ObjectSchema
  readonly #alarms: Alarms<'deliver' | 'prune' | 'schema'>
  readonly #work: WorkNote
  /** Attempts in progress: `seq` of their deliveries, by endpoint. */
  readonly #inProgress = new Map<string, Set<number>>()
  #targets: Targets | null = null
  /** Raised by `refresh`, so that a reply to an earlier request is not kept. */
  #generation = 0
  #measuredAt = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#schema = new ObjectSchema(ctx, webhookSenderSchema, schemaReporter(env.DB, 'webhooks', ctx.id))
    const { storage } = this.#schema
    this.store = new SenderStore(storage.sql)
    this.#work = new WorkNote(env.DB, this.#userId)
    this.#alarms = new Alarms(storage, {
      now: () => this.clock.now(),
      run: (kind) => this.#run(kind),
      onError: (kind, error) => logError('alarm_failed', { user: this.#userId, alarm: `webhooks.${kind}` }, error),
      retryMs,
      maxRunsInARow: 1,
    })
    if (this.#schema.hasJob) this.#alarms.schedule('schema', this.clock.now())
    this.#schema.constructed()
  }

  async #run(kind: 'deliver' | 'prune' | 'schema'): Promise<number | null> {
    if (kind === 'schema') return this.#schema.runJob() ? this.clock.now() : null
    return kind === 'deliver' ? this.#deliverAndNote() : this.#prune()
  }

  get #userId(): string {
    return this.ctx.id.name ?? ''
  }
  get #treasury() {
    return treasuryOf(this.env, this.#userId)
  }

  async accept(events: OutgoingEvent[]): Promise<void> {
    const now = this.clock.now()
    this.#schema.storage.transactionSync(() => {
      for (const event of events) this.store.add(event, now)
      this.#alarms.schedule('deliver', now)
      this.#alarms.schedule('prune', now + pruneMs)
    })
    this.ctx.waitUntil(this.#work.write(now))
  }
  async refresh(): Promise<void> {
    this.#generation += 1
    this.#targets = null
    this.#alarms.schedule('deliver', this.clock.now())
  }
  async deliveries(endpointId: string, before: number | null, limit: number) {
    return this.store.page(endpointId, before, limit)
  }
  async replay(endpointId: string, eventId: string) {
    if (!this.store.delivery(endpointId, eventId)) return notFound('Delivery')
    this.store.restart(endpointId, eventId, this.clock.now())
    this.#alarms.schedule('deliver', this.clock.now())
    this.ctx.waitUntil(this.#work.write(this.clock.now()))
    return ok(this.store.delivery(endpointId, eventId)!)
  }
  async wakeUp(): Promise<boolean> {
    const wasLost = await this.#alarms.isLost()
    this.#alarms.schedule('deliver', this.clock.now())
    this.#alarms.reset()
    return wasLost
  }
  override async alarm(): Promise<void> {
    if (await this.#schema.mayWork()) await this.#alarms.handleAlarm()
  }

  async #deliverAndNote(): Promise<number | null> {
    const next = await this.#deliver()
    this.ctx.waitUntil(this.#work.write(next))
    return next
  }

  /** Starts due attempts without waiting for them. Returns when more are due (ms), null if nothing is waiting. */
  async #deliver(): Promise<number | null> {
    await this.#reportDisabled()
    const waiting = this.store.waitingFor()
    if (waiting.length === 0) return null
    const { isStopped, endpoints, askedAt } = await this.#freshTargets()
    const now = this.clock.now()
    if (isStopped) {
      for (const id of waiting) this.store.giveUp(id, now - retryForMs, 'Nothing was sent for three days', now)
      return now + pausedMs
    }
    const on = endpoints.filter(({ isOn }) => isOn)
    const share = Math.max(1, Math.floor(maxConnections / Math.max(1, on.length)))
    let next: number | null = null
    for (const id of waiting) {
      const target = endpoints.find((endpoint) => endpoint.id === id)
      // An event that arrived after the request may be for a webhook that is newer than the reply.
      if (!target) this.store.drop(id, askedAt)
      else if (!target.isOn) this.store.giveUp(id, askedAt, 'The webhook was switched off', now)
      next = earliest(
        next,
        target?.isOn ? this.#start(target, share, now) : this.store.waits(id) ? now + targetsMs : null,
      )
    }
    return next
  }

  /** Starts due attempts, as many as the endpoint may have. Returns when to check the endpoint again (ms). */
  #start(target: WebhookTarget, share: number, now: number): number | null {
    const endpoint = this.store.endpoint(target)
    if (endpoint.disable !== null) return now + targetsMs
    const inProgress = this.#inProgress.get(target.id) ?? new Set()
    this.#inProgress.set(target.id, inProgress)
    const most = isFailing(endpoint.failures) ? 1 : share
    const notBefore = isFailing(endpoint.failures) ? endpoint.next_at : 0
    if (now >= notBefore && inProgress.size < most)
      for (const delivery of this.store.due(target.id, now, [...inProgress], most - inProgress.size)) {
        inProgress.add(delivery.seq)
        this.store.postpone(delivery.seq, now + retryMs)
        this.ctx.waitUntil(this.#send(target, delivery, inProgress))
      }
    // Each attempt checks again when it ends; the alarm is for attempts that a crash interrupts.
    const repeatAt = inProgress.size > 0 ? now + retryMs : null
    if (inProgress.size >= most) return repeatAt
    const dueAt = this.store.nextDueAt(target.id, [...inProgress])
    return earliest(repeatAt, dueAt === null ? null : Math.max(dueAt, notBefore))
  }

  async #send(target: WebhookTarget, delivery: DueDelivery, inProgress: Set<number>): Promise<void> {
    const at = this.clock.now()
    const event = { id: delivery.event_id, body: delivery.body }
    try {
      const outcome = await attempt(this.fetcher, {
        event,
        target,
        now: this.clock.now,
        rules: webhookRulesOf(this.env),
      })
      const change = this.#schema.storage.transactionSync(() =>
        afterAttempt(this.store, { target, delivery, outcome, at, now: this.clock.now(), random: this.clock.random() }),
      )
      if (change) await writeWebhookFailing(primaryDb(this.env.DB), target.id, change.failingSince)
    } catch (error) {
      logError('webhook_failed', { user: this.#userId, webhook: target.id }, error)
    } finally {
      inProgress.delete(delivery.seq)
      await this.#alarms.runNow('deliver')
    }
  }

  /** Returns the targets for a round, requested at most once in five seconds unless something has changed. */
  async #freshTargets(): Promise<Targets> {
    const askedAt = this.clock.now()
    if (this.#targets && Math.abs(askedAt - this.#targets.askedAt) < targetsMs) return this.#targets
    const generation = this.#generation
    const [{ isSuspended, endpoints }, areStopped] = await Promise.all([
      this.#treasury.webhookTargets(),
      areWebhooksStopped(primaryDb(this.env.DB)),
    ])
    if (generation !== this.#generation) return this.#freshTargets()
    this.#targets = { isStopped: isSuspended || areStopped, endpoints, askedAt }
    return this.#targets
  }

  /** Reports to the Treasury which webhooks have to be switched off. */
  async #reportDisabled(): Promise<void> {
    const now = this.clock.now()
    const measures = now - this.#measuredAt >= measureMs
    if (measures) this.#measuredAt = now
    for (const endpoint of this.store.endpoints()) {
      const { id, version } = endpoint
      const reason = endpoint.disable ?? (measures && this.store.isOverfull(id) ? ('too_many_waiting' as const) : null)
      if (reason === null) continue
      await this.#treasury.webhookFailed({ id, version, reason })
      this.store.saveEndpoint({ ...endpoint, disable: null })
      this.#targets = null
    }
  }

  /** Deletes old deliveries, and those of webhooks that no longer exist. */
  async #prune(): Promise<number | null> {
    const known = this.store.known()
    if (known.length === 0) return null
    const { endpoints, askedAt } = await this.#freshTargets()
    this.#schema.storage.transactionSync(() => {
      for (const id of known) if (!endpoints.some((endpoint) => endpoint.id === id)) this.store.drop(id, askedAt)
      this.store.prune(this.clock.now())
    })
    return this.clock.now() + pruneMs
  }
}

/** The time in D1 may be off by this much: the cron wakes a sender that is two minutes late. */
const slackMs = 60_000 // 1 minute

/** Writes to D1 when this sender is due next, so that the cron notices a lost alarm. */
export class WorkNote {
  readonly #db: D1Database
  readonly #userId: string
  /** The value in D1; undefined if unknown, as after an eviction. */
  #noted: number | null | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(db: D1Database, userId: string) {
    this.#db = db
    this.#userId = userId
  }

  /** `dueAt` is in ms, null if nothing is waiting. Under load, writes at most once a minute. Never throws. */
  write(dueAt: number | null): Promise<void> {
    const noted = this.#noted
    const isClose = dueAt === null || noted == null ? dueAt === noted : Math.abs(dueAt - noted) < slackMs
    if (isClose) return this.#writing
    this.#noted = dueAt
    // Writes run one after the other, so that D1 keeps the last one.
    this.#writing = this.#writing.then(async () => {
      try {
        await writeWebhookWork(primaryDb(this.#db), this.#userId, dueAt)
      } catch (error) {
        this.#noted = undefined
        logError('watchdog_row_not_written', { user: this.#userId, object: 'webhooks' }, error)
      }
    })
    return this.#writing
  }
}
