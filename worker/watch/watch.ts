import { DurableObject } from 'cloudflare:workers'
import { periodMs } from '#domain/watch.ts'
import { chainsFrom } from '../chain/rpcChain.ts'
import type { Chain, ChainId } from '../chain/types.ts'
import { schemaReporter } from '../db/troubles.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import type { Env } from '../env.ts'
import { chainOfWatch, type IdleWallet, type Renewal, type WatchApi, type WatchHealth } from './api.ts'
import { watchSchema } from './migrations.ts'
import { Sweeper } from './sweeper.ts'

/** The platform may be this late with an alarm: the watchdog then reports it as lost. */
const lostAfterMs = 30_000 // 30 seconds

/** The Sweeper as a Durable Object. Its alarm has no table of due work, whose rows would be most of what it writes. */
export class Watch extends DurableObject<Env> implements WatchApi {
  /** Replaceable in tests. */
  clock = { now: () => Date.now() }
  chains: Record<ChainId, Chain>
  readonly sweeper: Sweeper
  readonly #schema: ObjectSchema

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#schema = new ObjectSchema(ctx, watchSchema, schemaReporter(env.DB, 'watch', ctx.id))
    this.chains = chainsFrom(env)
    this.sweeper = new Sweeper({
      sql: this.#schema.storage.sql,
      chain: () => this.chains[chainOfWatch(ctx.id.name!)],
      settings: env,
      now: () => this.clock.now(),
      tell: (userId, hints) => this.env.TREASURY.getByName(userId).walletsDiffer(hints),
    })
    this.#schema.constructed()
  }

  async renew(wallet: IdleWallet): Promise<Renewal> {
    const wasEmpty = this.sweeper.store.wallets() === 0
    const renewal = this.sweeper.renew(wallet)
    if (wasEmpty) await this.#setAlarm(periodMs(1))
    return renewal
  }

  async health(): Promise<WatchHealth> {
    return this.sweeper.health()
  }

  async wakeUp(): Promise<boolean> {
    if (this.sweeper.store.wallets() === 0) return false
    const alarmAt = await this.ctx.storage.getAlarm()
    const isLost = alarmAt === null || Date.now() - alarmAt >= lostAfterMs
    if (isLost) await this.#setAlarm(0)
    return isLost
  }

  override async alarm(): Promise<void> {
    if (!(await this.#schema.mayWork())) return
    const wallets = this.sweeper.store.wallets()
    if (wallets === 0) return
    // First, so that nothing that fails ends the sweeps.
    await this.#setAlarm(periodMs(wallets))
    await this.sweeper.sweep()
  }

  #setAlarm(afterMs: number): Promise<void> {
    return this.ctx.storage.setAlarm(Date.now() + afterMs)
  }
}
