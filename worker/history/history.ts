import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { type CallerId, memberOf } from '#domain/accounts.ts'
import type { ListCursor } from '#domain/lists.ts'
import type { ChainName } from '#domain/networks.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { primaryDb } from '../db/d1.ts'
import { recordTrouble, schemaReporter } from '../db/troubles.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import type { Env } from '../env.ts'
import { logError } from '../observability/log.ts'
import { endedCaller, ok, type Result, refuse } from '../result.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { agentRequests, paidTo, refusals } from './answers.ts'
import {
  type ChangePage,
  type DecisionCursor,
  exportedAtOnce,
  type HistoryApi,
  type Listed,
  type Paging,
  type PaidToWanted,
  type PayoutsWanted,
  type PeriodWanted,
  type Position,
  type RecoverableCursor,
  type Slice,
  type TransactionsWanted,
  withNames,
} from './api.ts'
import { type Db, type ListQuery, payoutsQuery, transactionsQuery } from './lists.ts'
import { historySchema } from './migrations.ts'
import { readPage, readSlice } from './pages.ts'
import { Rows } from './rows.ts'

/** Decisions that one call of a replay reads. */
const decisionsAtOnce = 500
/** Operators are alerted above this. An object's SQLite holds 10 GB. */
const largeBytes = 5_000_000_000
/** Pages of changes that a list waits for. Only a History that was lost is further behind. */
const maxPages = 25

/** `ended`: those of the callers asked about that may no longer call. */
type Followed = { state: 'current' | 'behind' | 'ahead'; ended: CallerId[] }

/** The lists of one user. It never writes to its Treasury, and a Treasury never waits for it to accept a payment. */
export class History extends DurableObject<Env> implements HistoryApi {
  /** Replaceable in tests. */
  clock = { now: () => Date.now() }
  largeBytes = largeBytes
  readonly #schema: ObjectSchema
  readonly #db: Db
  readonly #rows: Rows
  #hasReported = false
  #following: Promise<Followed> | null = null
  #next: { callers: Set<CallerId>; followed: Promise<Followed> } | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#schema = new ObjectSchema(ctx, historySchema, schemaReporter(env.DB, 'history', ctx.id))
    const { storage } = this.#schema
    this.#db = drizzle(storage)
    this.#rows = new Rows(storage)
    this.#schema.constructed()
  }

  async transactions(caller: CallerId, filter: TransactionsWanted, paging: Paging) {
    return this.#afterFollowing(caller, () => this.#page<Transaction>(this.#transactions(filter), paging))
  }
  async payouts(caller: CallerId, filter: PayoutsWanted, paging: Paging) {
    return this.#afterFollowing(caller, () => this.#page<Escrow>(payoutsQuery(filter), paging))
  }
  async transactionSlice(caller: CallerId, filter: TransactionsWanted, cursor: ListCursor | null) {
    const read = () => this.#slice(this.#transactions(filter), cursor)
    return this.#afterFirst(cursor, caller, read)
  }
  async payoutSlice(caller: CallerId, filter: PayoutsWanted, cursor: ListCursor | null) {
    const read = () => this.#slice(payoutsQuery(filter), cursor)
    return this.#afterFirst(cursor, caller, read)
  }

  async decisions(caller: CallerId, groupId: string, since: number, before: DecisionCursor | null) {
    const read = () => {
      const decisions = this.#rows.decisions(groupId, since, before, decisionsAtOnce)
      const last = decisions.length < decisionsAtOnce ? undefined : decisions.at(-1)
      return { decisions, next: last ? { at: last.at, n: last.n } : null }
    }
    return this.#afterFirst(before, caller, read)
  }

  async balances(caller: CallerId, from: number, to: number) {
    return this.#afterFollowing(caller, () => this.#rows.balances(from, to))
  }

  async overview(caller: CallerId, chain: ChainName, now: number) {
    const [figures, account] = await Promise.all([
      this.#afterFollowing(caller, () => this.#rows.figures(chain, now)),
      treasuryOf(this.env, this.ctx.id.name!).reports().overview(),
    ])
    return figures.ok ? ok({ account, figures: figures.value }) : figures
  }

  async paidTo(caller: CallerId, wanted: PaidToWanted) {
    return this.#afterFollowing(caller, () => paidTo(this.#rows.all, wanted))
  }
  async agentRequests(caller: CallerId, agentId: string, wanted: PeriodWanted) {
    return this.#afterFollowing(caller, () => agentRequests(this.#rows.all, agentId, wanted))
  }
  async refusals(caller: CallerId, wanted: PeriodWanted) {
    return this.#afterFollowing(caller, () => refusals(this.#rows.all, wanted))
  }

  async position(): Promise<Position> {
    return this.#rows.position
  }
  async receive(page: ChangePage): Promise<Position> {
    const position = this.#rows.apply(page)
    this.#reportSize()
    return position
  }
  async recoverableRows(after: RecoverableCursor, limit: number) {
    return this.#rows.recoverableRows(after, limit)
  }
  async recoverableDeadlines() {
    return this.#rows.recoverableDeadlines()
  }
  async recoverableValues() {
    return this.#rows.recoverableValues()
  }

  #transactions(filter: TransactionsWanted): ListQuery {
    return transactionsQuery(filter, filter.recipient ? this.#rows.names() : {})
  }
  async #page<Row extends Transaction | Escrow>(query: ListQuery, paging: Paging): Promise<Listed<Row>> {
    const { rows, page } = await readPage<Row>(this.#db, query, paging)
    const names = this.#rows.names()
    return { rows: rows.map((row) => withNames(row, names)), page }
  }
  async #slice(query: ListQuery, cursor: ListCursor | null): Promise<Slice> {
    return { ...(await readSlice(this.#db, query, exportedAtOnce, cursor)), names: this.#rows.names() }
  }

  override async alarm(): Promise<void> {
    await this.#schema.mayWork()
  }

  /** Once for each time that the object is loaded; a report that fails is then repeated. */
  #reportSize(): void {
    const { databaseSize } = this.ctx.storage.sql
    if (databaseSize <= this.largeBytes || this.#hasReported) return
    this.#hasReported = true
    const userId = this.ctx.id.name!
    const now = this.clock.now()
    const trouble = {
      kind: 'account_size',
      subject: `history:${userId}`,
      userId,
      detail: `${databaseSize} bytes`,
    } as const
    const report = recordTrouble(primaryDb(this.env.DB), { ...trouble, edition: now, since: now })
    this.ctx.waitUntil(report.catch((error) => logError('history_size_not_reported', { user: userId }, error)))
  }

  /** Later parts of an answer are read without asking again, except for members: they may be removed while an export runs. */
  async #afterFirst<T>(later: object | null, caller: CallerId, read: () => T | Promise<T>): Promise<Result<T>> {
    return later && memberOf(caller) === null ? ok(await read()) : this.#afterFollowing(caller, read)
  }

  async #afterFollowing<T>(caller: CallerId, read: () => T | Promise<T>): Promise<Result<T>> {
    const { state, ended } = await this.#follow(caller)
    if (ended.includes(caller)) return endedCaller(caller)
    if (state === 'current') return ok(await read())
    if (state === 'ahead') return refuse('unavailable', 'This account is being checked. Please try again later.')
    // Continues while the caller waits to ask again.
    this.ctx.waitUntil(this.#follow().catch(() => {}))
    const message = 'The history of this account is being rebuilt. Please try again in a minute.'
    return refuse('unavailable', message, { retryAfter: 30 })
  }

  /**
   * Asks for changes, and whether this caller may still call, after this call has begun. Calls that arrive during one
   * reading share the next one.
   */
  #follow(caller?: CallerId): Promise<Followed> {
    const own = caller === undefined ? [] : [caller]
    if (!this.#following) return this.#start(new Set(own))
    this.#next ??= this.#startAfter(this.#following)
    for (const id of own) this.#next.callers.add(id)
    return this.#next.followed
  }

  #startAfter(current: Promise<Followed>) {
    const callers = new Set<CallerId>()
    const followed = current
      .catch(() => {})
      .then(() => {
        this.#next = null
        return this.#start(callers)
      })
    return { callers, followed }
  }

  #start(callers: Set<CallerId>): Promise<Followed> {
    const following = this.#readChanges([...callers]).finally(() => {
      if (this.#following === following) this.#following = null
    })
    this.#following = following
    return following
  }

  async #readChanges(callers: CallerId[]): Promise<Followed> {
    const treasury = treasuryOf(this.env, this.ctx.id.name!)
    const endedIds = new Set<string>()
    const found = (state: Followed['state']): Followed => ({ state, ended: [...endedIds] })
    for (let pages = 0; pages < maxPages; pages++) {
      const { page, ended } = await treasury.changesSince(this.#rows.position, callers)
      for (const id of ended) endedIds.add(id)
      if (page === null) {
        logError('history_ahead', { user: this.ctx.id.name!, seq: this.#rows.position.seq })
        return found('ahead')
      }
      const { incarnation } = await this.receive(page)
      if (page.isLast && incarnation === page.to.incarnation) return found('current')
    }
    return found('behind')
  }
}
