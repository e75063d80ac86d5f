import { DurableObject } from 'cloudflare:workers'
import { markIdle } from '../db/busyTreasuries.ts'
import { schemaReporter } from '../db/objectTroubles.ts'
import { Alarms } from '../durable/alarms.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import type { Env } from '../env.ts'
import { logError } from '../observability/log.ts'
import { runAlarm } from './alarmHandlers.ts'
import { isNodeTrouble } from './chainHeads.ts'
import type { AlarmKind, Context } from './context.ts'
import { createContext } from './createContext.ts'
import { Outbox } from './outbox/flush.ts'
import { NeedResolver } from './payments/needs.ts'
import { PaymentFlow } from './payments/pay.ts'
import { AgentContexts } from './policies/agentContext.ts'
import { AgentGate } from './policies/agentGate.ts'
import { Submissions } from './relay/submissions.ts'
import { BooksDiffer } from './settlement/scan.ts'
import { treasurySchema } from './storage/migrations.ts'
import { Store } from './storage/store.ts'
import { ChainRefresh } from './wallets/chainRefresh.ts'

/** Work that a crash interrupted is repeated after this. */
const retryMs = 20_000 // 20 seconds

/**
 * The Treasury as a Durable Object: its storage, the parts that its RPC methods use (treasury.ts), and its alarm. Parts
 * are own properties, which RPC does not expose.
 */
export abstract class TreasuryObject extends DurableObject<Env> {
  /** Time, randomness and chains are replaced in tests. */
  readonly context: Context
  protected readonly agentGate: AgentGate
  protected readonly agentContexts: AgentContexts
  protected readonly chain: ChainRefresh
  protected readonly needs: NeedResolver
  protected readonly outbox: Outbox
  protected readonly paymentFlow: PaymentFlow
  protected readonly submissions: Submissions
  readonly #alarms: Alarms<AlarmKind>
  readonly #schema: ObjectSchema

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#schema = new ObjectSchema(ctx, treasurySchema, schemaReporter(env.DB, 'treasury', ctx.id))
    const { storage } = this.#schema
    const store = new Store(storage, () => this.#alarms.afterRollback())
    const userId = ctx.id.name ?? store.meta('user_id') ?? ''
    if (userId && store.meta('user_id') === null) store.setMeta('user_id', userId)
    const context = createContext(env, store, userId, (kind, at) => this.#alarms.schedule(kind, at))
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
    this.context = context
    this.agentGate = new AgentGate(context)
    this.chain = new ChainRefresh(context)
    this.agentContexts = new AgentContexts(context, this.chain)
    this.needs = new NeedResolver(context, this.chain)
    this.outbox = new Outbox(context)
    this.submissions = new Submissions(context, waitUntil)
    this.paymentFlow = new PaymentFlow(context, this.needs, this.submissions, waitUntil)
    this.#alarms = new Alarms(storage, {
      now: () => context.now(),
      run: (kind) => (kind === 'schema' ? this.#migrate() : runAlarm(context, this.outbox, kind)),
      onError: (kind, error) => {
        if (!isNodeTrouble(error) || error instanceof BooksDiffer)
          logError('alarm_failed', { user: userId, alarm: kind }, error)
      },
      retryMs,
      maxRunsInARow: 1,
    })
    if (this.#schema.hasJob) this.#alarms.schedule('schema', context.now())
    this.#schema.constructed()
  }

  async #migrate(): Promise<number | null> {
    return this.#schema.runJob() ? this.context.now() : null
  }

  /** From the cron watchdog: sets a lost alarm again. */
  async wakeUp(): Promise<boolean> {
    const wasLost = await this.#alarms.isLost()
    this.#alarms.reset()
    if (this.#alarms.nextAt() === null) await markIdle(this.context.db, this.context.userId)
    return wasLost
  }

  override async alarm(): Promise<void> {
    if (await this.#schema.mayWork()) await this.#alarms.handleAlarm()
  }
}
