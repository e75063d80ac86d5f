import { DurableObject } from 'cloudflare:workers'
import { bursar } from '#domain/actor.ts'
import type { Bindings } from '../bindings.ts'
import { schemaReporter } from '../db/troubles.ts'
import { Alarms } from '../durable/alarms.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import { RestoreGate } from '../durable/restoreGate.ts'
import { logError } from '../observability/log.ts'
import { platformSnapshots, type Snapshots } from './account/restore/snapshots.ts'
import { reportBusy, runAlarm } from './alarmHandlers.ts'
import { actingAs } from './core/acting.ts'
import { isNodeTrouble } from './core/chainHeads.ts'
import type { AlarmKind, Context } from './core/context.ts'
import { freshStop } from './core/stop.ts'
import { treasurySchema } from './core/storage/migrations.ts'
import { Store } from './core/storage/store.ts'
import { createContext } from './createContext.ts'
import { Outbox } from './outbox/delivery/flush.ts'
import { NeedResolver } from './payments/needs.ts'
import { PaymentFlow } from './payments/pay.ts'
import { AgentGate } from './policies/agentGate.ts'
import { BooksDiffer } from './settlement/scan.ts'
import { Submissions } from './wallets/relay/submissions.ts'

/** Work that was interrupted by a crash is repeated after this long. */
const retryMs = 20_000 // 20 seconds

/**
 * The Treasury as a Durable Object: its storage, the parts that its RPC methods use (treasury.ts), and its alarm. The
 * parts are own properties, which RPC does not expose.
 */
export abstract class TreasuryObject extends DurableObject<Bindings> {
  /** Tests replace its time, randomness and chains. */
  readonly context: Context
  /** Replaced in tests, because a developer's machine has no platform snapshots. */
  snapshots = (): Snapshots => platformSnapshots(this.ctx.storage)
  protected readonly agentGate: AgentGate
  protected readonly needs: NeedResolver
  protected readonly outbox: Outbox
  protected readonly paymentFlow: PaymentFlow
  protected readonly submissions: Submissions
  readonly alarms: Alarms<AlarmKind>
  readonly #schema: ObjectSchema
  readonly #gate: RestoreGate
  #restoreContext: Context | null = null
  /** Set by the first alarm of this instance, which reads the operators' stops and freezes. */
  #hasReadStops = false
  #mustReload = false

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env)
    this.#schema = new ObjectSchema(ctx, treasurySchema, schemaReporter(env.DB, 'treasury', ctx.id))
    const { storage } = this.#schema
    this.#gate = new RestoreGate(storage)
    const store = new Store(this.#gate.storage, () => this.alarms.afterRollback(), this.#gate.check)
    const userId = ctx.id.name ?? store.meta('user_id') ?? ''
    if (userId && store.meta('user_id') === null) store.setMeta('user_id', userId)
    const context = createContext(env, store, userId, (kind, at) => this.#schedule(kind, at))
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
    context.stop.freeze = (restoreId) => {
      this.closeForRestore(restoreId)
      return this.#gate.isClosed
    }
    this.context = context
    this.agentGate = new AgentGate(context)
    this.needs = new NeedResolver(context)
    this.outbox = new Outbox(context)
    this.submissions = new Submissions(context, waitUntil)
    this.paymentFlow = new PaymentFlow(context, this.needs, this.submissions, waitUntil)
    // Alarms bypass the gate, so that due work stays due during a restore.
    this.alarms = new Alarms(storage, {
      now: () => context.now(),
      run: (kind) =>
        actingAs(bursar, () => (kind === 'schema' ? this.#migrate() : runAlarm(context, this.outbox, kind))),
      onError: (kind, error) => {
        if (!isNodeTrouble(error) || (error instanceof BooksDiffer && !error.isEarly))
          logError('alarm_failed', { user: userId, alarm: kind }, error)
      },
      retryMs,
      maxRunsInARow: 1,
    })
    if (this.#schema.hasJob) this.alarms.schedule('schema', context.now())
    this.#gate.isClosed = store.meta('restore') !== null
    this.#schema.constructed()
  }

  /** What is to be settled is also known in D1, because the platform may lose the alarm before it first runs. */
  #schedule(kind: AlarmKind, at: number): void {
    this.alarms.schedule(kind, at)
    if (kind !== 'settle' || this.#gate.isClosed) return
    const reported = reportBusy(this.context)
    if (reported) this.ctx.waitUntil(reported)
  }

  async #migrate(): Promise<number | null> {
    return this.#schema.runJob() ? this.context.now() : null
  }

  /** The context of a restore: the same account, bypassing the gate, with empty caches. */
  protected get restoreContext(): Context {
    const { env, userId, schedule, now, random, chains, sealer } = this.context
    const newStore = () => new Store(this.#gate.inner, () => this.alarms.afterRollback())
    this.#restoreContext ??= createContext(env, newStore(), userId, schedule, { now, random, chains, sealer })
    return this.#restoreContext
  }

  /** Refuses everything except the restore from now on, unless this restore has ended here and D1 does not know yet. */
  protected closeForRestore(id: string): Context {
    const { store } = this.restoreContext
    if (store.meta('restored')?.id === id) return this.restoreContext
    this.#gate.isClosed = true
    if (store.meta('restore') === null) store.setMeta('restore', { id, begun: null })
    return this.restoreContext
  }

  /** Discards what is in memory from before the restore: the next alarm aborts this instance. */
  protected async reload(): Promise<void> {
    this.#mustReload = true
    await this.ctx.storage.setAlarm(Date.now())
  }

  /** Called by the cron watchdog. Re-arms a lost alarm. Settling marks the Treasury as idle if nothing is open. */
  async wakeUp(): Promise<boolean> {
    const wasLost = await this.alarms.isLost()
    this.alarms.reset()
    this.alarms.schedule('settle', this.context.now())
    return wasLost
  }

  /** Starts what is due now, because the platform's alarm may be late. */
  protected startDueWork(): void {
    const nextAt = this.alarms.nextAt()
    if (nextAt !== null && nextAt <= this.context.now()) this.ctx.waitUntil(this.alarm())
  }

  override async alarm(): Promise<void> {
    if (!(await this.#schema.mayWork())) return
    if (this.#mustReload) {
      await this.ctx.storage.sync()
      this.ctx.abort('the account was restored')
    }
    // Only the stop object knows whether this object was rolled back. Its alarms must not run before it has asked.
    if (!this.#hasReadStops && !this.#gate.isClosed) await freshStop(this.context)
    this.#hasReadStops = true
    if (!this.#gate.isClosed) await this.alarms.handleAlarm()
  }
}
