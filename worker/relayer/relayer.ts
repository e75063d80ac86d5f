import { DurableObject } from 'cloudflare:workers'
import { chainsFrom } from '../chain/chains.ts'
import { type Address, type Chain, type ChainId, RpcUnavailable } from '../chain/types.ts'
import { chooseBatch, type Plan } from '../domain/batch.ts'
import type { Env } from '../env.ts'
import { relayerAccount } from './account.ts'
import { Courier } from './courier.ts'
import { Items } from './items.ts'
import { migrate } from './migrations.ts'
import { Timers } from './timers.ts'
import { Transactions } from './transactions.ts'
import type { RelayItem, RelayReport, SubmitResult } from './types.ts'

/** The alarm that takes over if this instance dies while it works. */
const rescueMs = 1_000 // 1 second
const pruneEveryMs = 3_600_000 // 1 hour
const longestWaitMs = 5_000 // 5 seconds
/** Steps of one run; more work goes to the next alarm. */
const maxSteps = 25

/**
 * One account on one chain (object name: `relayerName(chainId, shard)`): packs signed intents of many users into
 * transactions, brings them on chain and watches what becomes of them. It holds gas money only, and delivering twice
 * is harmless, so whatever it is unsure about it does again.
 */
export class Relayer extends DurableObject<Env> {
  /** Replaceable in tests. */
  clock = { now: () => Date.now() }
  chains: Record<ChainId, Chain>

  readonly #items: Items
  readonly #timers: Timers
  #courier: Courier | null = null
  #running: Promise<void> | null = null
  #again = false
  #telling = false
  #setbacks = 0
  #notBefore = 0
  readonly #waiters = new Map<string, Set<() => void>>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage)
    this.chains = chainsFrom(env)
    this.#items = new Items(ctx.storage.sql)
    this.#timers = new Timers(ctx.storage)
  }

  /** Takes items for delivery. The same id again changes nothing, whatever became of it. */
  async submit(items: RelayItem[]): Promise<SubmitResult> {
    this.#courierOf()
    const now = this.clock.now()
    const result = this.ctx.storage.transactionSync(() => {
      this.#timers.atLatest('work', now + rescueMs)
      return this.#items.submit(items, now)
    })
    this.#timers.arm(now)
    this.ctx.waitUntil(this.#run())
    return result
  }

  /** What is known of these ids; unknown ones are left out. */
  async status(ids: string[]): Promise<RelayReport[]> {
    return ids.flatMap((id) => this.#items.report(id) ?? [])
  }

  /** As soon as the item is broadcast, or its fate is otherwise known, or after `ms` (at most 5,000). */
  async wait(id: string, ms: number): Promise<RelayReport | null> {
    if (this.#items.report(id)?.state !== 'waiting') return this.#items.report(id)
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiters = this.#waiters.get(id) ?? new Set()
    this.#waiters.set(id, waiters.add(resolve))
    const timeout = setTimeout(resolve, Math.min(ms, longestWaitMs))
    await promise
    clearTimeout(timeout)
    waiters.delete(resolve)
    if (waiters.size === 0) this.#waiters.delete(id)
    return this.#items.report(id)
  }

  /** The account that pays gas: `balance` in wei, `nextNonce` null before the first transaction. */
  async account(): Promise<{ address: Address; balance: bigint; nextNonce: number | null; inFlight: number }> {
    const { chain, address, transactions } = this.#courierOf()
    const balance = await chain().nativeBalance(address)
    return { address, balance, nextNonce: transactions.nextNonce(), inFlight: transactions.open().length }
  }

  /** The watchdog's poke: work now, whatever the alarm does. */
  async kick(): Promise<void> {
    this.#courierOf()
    this.#notBefore = 0
    // Whatever we believe it is set to, it is set again.
    this.#timers.disarmed()
    await this.#run()
    await this.#tell()
  }

  /** Drops what waits for this user and takes nothing new: for a restore from a backup. */
  async freeze(userId: string): Promise<void> {
    this.ctx.storage.transactionSync(() => this.#items.freeze(userId, this.clock.now()))
    this.#wake()
    this.ctx.waitUntil(this.#tell())
  }

  async unfreeze(userId: string): Promise<void> {
    this.#items.unfreeze(userId)
  }

  override async alarm(): Promise<void> {
    this.#timers.disarmed()
    const now = this.clock.now()
    try {
      const due = this.#timers.due(now)
      if (due.includes('prune')) this.#prune(now)
      if (due.includes('work')) await this.#run()
      if (due.includes('tell')) await this.#tell()
    } finally {
      this.#timers.arm(this.clock.now())
    }
  }

  /** One run at a time; a call during a run makes it look again. */
  #run(): Promise<void> {
    this.#again = true
    this.#running ??= this.#work().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #work(): Promise<void> {
    let dueAt: number | null = this.#notBefore
    try {
      if (this.clock.now() < this.#notBefore) return
      const courier = this.#courierOf()
      for (let step = 0; step < maxSteps; step++) {
        this.#again = false
        dueAt = await this.#step(courier)
        this.#setbacks = 0
        if (!this.#again && (dueAt === null || dueAt > this.clock.now())) break
      }
    } catch (error) {
      dueAt = this.#setback(error)
    } finally {
      this.#timers.set('work', dueAt)
      this.#timers.atLatest('prune', this.clock.now() + pruneEveryMs)
      this.#timers.arm(this.clock.now())
      this.ctx.waitUntil(this.#tell())
    }
  }

  /** Looks at the chain, cares for what is under way, sends what waits. Answers when to look again (ms). */
  async #step(courier: Courier): Promise<number | null> {
    const now = this.clock.now()
    const { plan, nextAt } = this.#choose(courier, now)
    if (!plan && courier.isIdle(now)) return earliest(nextAt, this.#items.nextDueAt(now))

    const items = plan ? this.#items.load(plan.ids) : []
    const [view, verdict] = await Promise.all([courier.look(), plan ? courier.simulate(plan.kind, items) : null])
    courier.settle(view)
    this.#wake()
    const isQuiet = await courier.care(view)
    this.#wake()
    if (isQuiet && plan && verdict) await courier.dispatch(plan.kind, items, verdict, view)
    this.#wake()

    if (!isQuiet || plan) return now
    return earliest(nextAt, this.#items.nextDueAt(now), courier.nextLookAt(now))
  }

  #choose(courier: Courier, now: number): { plan: Plan | null; nextAt: number | null } {
    this.#items.restOverQuota(now)
    return chooseBatch(this.#items.ready(now), courier.transactions.open().length, now)
  }

  /** No answer or no success: the same again later, 0.25 s doubling to 15 s. */
  #setback(error: unknown): number {
    // A silent node is everyday life and says so by itself; anything else is a bug to be seen whole.
    console.error('relayer', this.#courier?.name, error instanceof RpcUnavailable ? reasonOf(error) : error)
    this.#notBefore = this.clock.now() + Math.min(250 * 2 ** this.#setbacks, 15_000)
    this.#setbacks += 1
    return this.#notBefore
  }

  /** Tells each user's Treasury what changed. A hint that may be lost: Treasuries settle from the chain. */
  async #tell(): Promise<void> {
    if (this.#telling) return
    this.#telling = true
    try {
      const now = this.clock.now()
      await Promise.all(
        this.#items.untold(now).map(async ({ userId, reports, rows }) => {
          try {
            await this.env.TREASURY.getByName(userId).relayed(reports)
            this.#items.told(rows)
          } catch {
            this.#items.tellLater(rows, now)
          }
        }),
      )
    } finally {
      this.#telling = false
      this.#timers.set('tell', this.#items.nextTellAt())
      this.#timers.arm(this.clock.now())
    }
  }

  #wake(): void {
    for (const [id, waiters] of this.#waiters) {
      if (this.#items.report(id)?.state === 'waiting') continue
      for (const resolve of waiters) resolve()
    }
  }

  #prune(now: number): void {
    this.#items.prune(now)
    this.#courierOf().transactions.prune(now)
    this.#timers.set('prune', now + pruneEveryMs)
  }

  /** The account of this object, from its name, or as stored when the name is not known to an alarm. */
  #courierOf(): Courier {
    if (this.#courier) return this.#courier
    const { sql } = this.ctx.storage
    const [chainId, shard] = this.ctx.id.name?.split(':').map(Number) ?? []
    if (chainId !== undefined && shard !== undefined) {
      sql.exec('INSERT OR IGNORE INTO account (one, chain_id, shard) VALUES (1, ?, ?)', chainId, shard)
    }
    const row = sql.exec<{ chain_id: ChainId; shard: number }>('SELECT chain_id, shard FROM account').one()
    const account = relayerAccount(this.env.RELAYER_SEED_V1, row.chain_id, row.shard)
    this.#courier = new Courier({
      name: `${row.chain_id}:${row.shard}`,
      address: account.address,
      chain: () => this.chains[row.chain_id],
      clock: () => this.clock.now(),
      storage: this.ctx.storage,
      items: this.#items,
      transactions: new Transactions(sql, row.chain_id, account),
    })
    return this.#courier
  }
}

function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length > 0 ? Math.min(...known) : null
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
