import { DurableObject } from 'cloudflare:workers'
import { type Limits, parseLimits, withLimits } from '#domain/limits.ts'
import { hourMs } from '#domain/time.ts'
import { chainsFrom } from '../chain/rpcChain.ts'
import type { Chain, ChainId } from '../chain/types.ts'
import { schemaReporter } from '../db/troubles.ts'
import { Alarms, earliest } from '../durable/alarms.ts'
import { ObjectSchema } from '../durable/objectSchema.ts'
import type { Env } from '../env.ts'
import { logWarning } from '../observability/log.ts'
import { followOlder, openAccounts, type RelayerAccounts, sweepOlder } from './accounts.ts'
import type {
  GasPurpose,
  JobReport,
  RelayerAccount,
  RelayerAccountState,
  RelayerApi,
  RelayerHealth,
  RelayJob,
  StuckJob,
  SubmitResult,
} from './api.ts'
import { BatchChooser } from './chooseBatch.ts'
import { DeliveryState, stoppedByOperator } from './deliveryState.ts'
import { DeliveryStop } from './deliveryStop.ts'
import { FailureQuota } from './failureQuota.ts'
import { type FeeCeilings, feesWithin, parseFeeCeilings } from './fees.ts'
import { JobIntake } from './jobIntake.ts'
import { JobQueue } from './jobQueue.ts'
import { relayerSchema } from './migrations.ts'
import { MinedLogs } from './minedLogs.ts'
import { grantNewAccountGas, hasNewAccountGas } from './newAccountGas.ts'
import { prune } from './prune.ts'
import { hasReadyJobs, readyJobs, recordTurns } from './readyJobs.ts'
import { ReportOutbox } from './reportOutbox.ts'
import type { TransactionSubmitter } from './transactionSubmitter.ts'

/** deliver: one step of sending and watching transactions. report: reports to Treasuries. schema: a background job. */
type AlarmKind = 'deliver' | 'report' | 'prune' | 'schema'

const retryMs = 1_000 // 1 second: when the alarm takes over if this instance dies while it works
const maxStepsInARow = 25
const pruneEveryMs = hourMs
/** How often fees are read again while they are above the ceilings: one block. */
const feePollMs = 2_000 // 2 seconds
/** How often transactions of older accounts are checked: half a block. */
const followMs = 1_000
const stuckAfterMs = 60_000 // 1 minute
/** Above this size of the object's storage, which is limited to 10 GB, new work is refused. */
const maxDatabaseBytes = 6_000_000_000

/**
 * One account on one chain (object name: `relayerName(chainId, shard)`). It packs the jobs of many users into
 * transactions, sends them and tracks their outcomes. It holds only gas money, and executing a job twice is harmless, so
 * it sends again if an outcome is unknown.
 */
export class Relayer extends DurableObject<Env> implements RelayerApi {
  /** Replaceable in tests. */
  clock = { now: () => Date.now() }
  chains: Record<ChainId, Chain>
  maxDatabaseBytes = maxDatabaseBytes
  maxClockSkew: string | undefined
  stop: DeliveryStop

  readonly #schema: ObjectSchema
  readonly #limits: Limits
  readonly #feeCeilings: FeeCeilings
  readonly #quota: FailureQuota
  readonly #jobs: JobQueue
  readonly #chooser = new BatchChooser()
  readonly #intake: JobIntake
  readonly #minedLogs = new MinedLogs()
  readonly #reports: ReportOutbox
  readonly #alarms: Alarms<AlarmKind>
  #accounts: RelayerAccounts | null = null
  readonly #state = new DeliveryState()
  #wasFull = false
  readonly #waiters: JobWaiters

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#schema = new ObjectSchema(ctx, relayerSchema, schemaReporter(env.DB, 'relayer', ctx.id))
    const { storage } = this.#schema
    this.chains = chainsFrom(env)
    this.maxClockSkew = env.MAX_CLOCK_SKEW_SECONDS
    this.#limits = withLimits(parseLimits(env.LIMITS))
    this.#feeCeilings = parseFeeCeilings(env.FEE_CEILINGS)
    this.stop = new DeliveryStop(env)
    this.#quota = new FailureQuota(storage.sql)
    this.#jobs = new JobQueue(storage.sql, this.#quota)
    this.#intake = new JobIntake(storage.sql, this.#jobs, () => this.#isFull())
    this.#reports = new ReportOutbox(storage.sql, this.#minedLogs)
    this.#waiters = new JobWaiters((id) => this.#reports.reportOf(id)?.state === 'waiting')
    this.#alarms = new Alarms(storage, {
      now: () => this.clock.now(),
      run: (kind) => this.#run(kind),
      onError: (kind, error) => this.#state.recordFailure(this.#accounts?.name, kind, error),
      afterRuns: (kind) => {
        if (kind === 'deliver') this.#afterDelivery()
      },
      retryMs,
      maxRunsInARow: maxStepsInARow,
    })
    if (this.#schema.hasJob) this.#alarms.schedule('schema', this.clock.now())
    this.#schema.constructed()
  }

  async submit(jobs: RelayJob[]): Promise<SubmitResult> {
    const submitter = this.#openSubmitter()
    const now = this.clock.now()
    const result = this.#schema.storage.transactionSync(() => this.#intake.submit(jobs, now))
    // No await in between: the jobs and the alarm that protects them are stored together.
    if (submitter.transactions.hasCapacity()) this.ctx.waitUntil(this.#alarms.runNow('deliver'))
    else this.#alarms.schedule('deliver', submitter.nextPollAt(now)!)
    return result
  }

  async status(ids: string[]): Promise<JobReport[]> {
    return ids.flatMap((id) => this.#reportOf(id) ?? [])
  }

  async wait(id: string, ms: number): Promise<JobReport | null> {
    const report = this.#reportOf(id)
    if (report?.state !== 'waiting') return report
    await this.#waiters.wait(id, ms)
    return this.#reportOf(id)
  }

  #reportOf(id: string): JobReport | null {
    const report = this.#reports.reportOf(id)
    return report?.state === 'waiting' && this.#state.holding !== null
      ? { ...report, reason: this.#state.holding }
      : report
  }

  async account(): Promise<RelayerAccount> {
    const { chain, address, transactions } = this.#openSubmitter()
    const balance = await chain().nativeBalance(address)
    const runwayHours = this.#state.runwayHours(balance, this.clock.now())
    const next = transactions.nextNonce()
    const nextNonce = next === null ? null : next - transactions.firstNonce
    return { address, balance, nextNonce, inFlight: transactions.open().length, runwayHours }
  }

  async accounts(): Promise<RelayerAccountState[]> {
    return this.#openAccounts().states()
  }

  async health(): Promise<RelayerHealth> {
    const { transactions, chain } = this.#openSubmitter()
    const now = this.clock.now()
    const ready = readyJobs(this.#schema.storage.sql, chain(), now)
    return {
      holding: this.#state.holding,
      stepError: this.#state.stepError,
      ...this.#jobs.waiting(),
      ready: ready.length,
      readyMs: ready[0] ? now - ready[0].dueAt : 0,
      stalledMs: this.#state.stalledMs(now),
      inFlight: transactions.open().length,
      databaseBytes: this.#schema.storage.sql.databaseSize,
      maxDatabaseBytes: this.maxDatabaseBytes,
      isFull: this.#isFull(),
    }
  }

  async stuckJobs(limit: number): Promise<StuckJob[]> {
    return this.#jobs.stuck(this.clock.now() - stuckAfterMs, limit)
  }

  async grantGas(gas: number, purpose: GasPurpose): Promise<boolean> {
    return grantNewAccountGas(this.#schema.storage.sql, gas, purpose, this.#limits, this.clock.now())
  }

  async hasGas(gas: number, purpose: GasPurpose): Promise<boolean> {
    return hasNewAccountGas(this.#schema.storage.sql, gas, purpose, this.#limits, this.clock.now())
  }

  async wakeUp(): Promise<boolean> {
    this.#openSubmitter().forgetReading()
    const wasLost = await this.#alarms.isLost()
    this.#alarms.reset()
    await this.#alarms.runNow('deliver')
    await this.#alarms.runNow('report')
    return wasLost
  }

  async freeze(userId: string): Promise<void> {
    this.#schema.storage.transactionSync(() => this.#intake.freeze(userId, this.clock.now()))
    this.#waiters.resolve()
    this.ctx.waitUntil(this.#alarms.runNow('report'))
  }

  async unfreeze(userId: string): Promise<void> {
    this.#schema.storage.transactionSync(() => this.#intake.unfreeze(userId))
  }

  override async alarm(): Promise<void> {
    if (await this.#schema.mayWork()) await this.#alarms.handleAlarm()
  }

  #run(kind: AlarmKind): Promise<number | null> {
    switch (kind) {
      case 'deliver':
        return this.#deliver()
      case 'report':
        return this.#reports.send(this.env.TREASURY, this.clock.now())
      case 'prune':
        return this.#prune()
      case 'schema':
        return Promise.resolve(this.#schema.runJob() ? this.clock.now() : null)
    }
  }

  /** Runs one step: reads the chain, resolves what is in flight, sends what waits. Returns when the next is due (ms). */
  async #deliver(): Promise<number | null> {
    await this.#openAccounts().moveOn()
    const submitter = this.#openSubmitter()
    const now = this.clock.now()
    const isFollowing = await followOlder(this.#openAccounts(), this.#feeCeilings, now)
    this.#quota.parkOverQuota(now)
    const { sql } = this.#schema.storage
    this.#state.recordReady(hasReadyJobs(sql, now), now)
    const inFlight = submitter.inFlight()
    const ready = submitter.transactions.hasCapacity() ? readyJobs(sql, submitter.chain(), now) : []
    const { batch, nextAt } = this.#chooser.choose(ready, inFlight, now)
    if (batch)
      recordTurns(
        sql,
        ready.filter(({ id }) => batch.jobIds.includes(id)),
        now,
      )
    const followAt = isFollowing ? now + followMs : null
    const nextStepAt = () => {
      // A newer signature of the same intent may have waited for a transaction that has just ended.
      const hasEnded = submitter.inFlight().all < inFlight.all
      if (hasEnded && hasReadyJobs(sql, now)) return now
      return earliest(nextAt, this.#jobs.nextDueAt(now), submitter.nextPollAt(now), followAt)
    }
    if (!batch && submitter.isIdle(now)) return earliest(nextAt, this.#jobs.nextDueAt(now), followAt)

    if (!batch && submitter.needsOnlyReceipts(now)) {
      await submitter.followReceipts()
      this.#waiters.resolve()
      this.#state.recordSuccess()
      return nextStepAt()
    }
    const jobs = batch ? this.#jobs.load(batch.jobIds) : []
    const [read, isStopped, simulation] = await Promise.all([
      submitter.readChain(),
      this.stop.isStopped(),
      batch && this.#state.holding === null ? submitter.simulate(batch.kind, jobs) : null,
    ])
    submitter.reconcile(read)
    const fees = isStopped ? stoppedByOperator : feesWithin(read.feeReading, this.#feeCeilings)
    this.#state.hold(submitter.name, 'problem' in fees ? fees.problem : null)
    this.#waiters.resolve()
    if ('problem' in fees) return now + feePollMs
    const snapshot = { ...read, fees }
    const isResolved = await submitter.resolvePending(snapshot)
    this.#waiters.resolve()
    const nextNonce = submitter.transactions.nextNonce()
    if (isResolved && batch && simulation) await submitter.submitBatch(batch.kind, jobs, simulation, snapshot)
    if (submitter.transactions.nextNonce() !== nextNonce) this.#state.recordSent()
    this.#waiters.resolve()
    this.#state.recordSuccess()

    return !isResolved || (batch && hasReadyJobs(sql, now)) ? now : nextStepAt()
  }

  #isFull(): boolean {
    const { databaseSize } = this.#schema.storage.sql
    const isFull = databaseSize > this.maxDatabaseBytes
    if (isFull !== this.#wasFull) {
      const fields = { relayer: this.#accounts?.name, bytes: databaseSize, limit: this.maxDatabaseBytes }
      logWarning(isFull ? 'relayer_full' : 'relayer_no_longer_full', fields)
      this.#wasFull = isFull
    }
    return isFull
  }

  /** Does not run after each step: while many jobs wait, Treasuries get one report for several steps. */
  #afterDelivery(): void {
    const now = this.clock.now()
    this.#alarms.schedule('prune', now + pruneEveryMs)
    const reportAt = this.#reports.nextReportAt()
    if (reportAt !== null && reportAt <= now) this.ctx.waitUntil(this.#alarms.runNow('report'))
  }

  async #prune(): Promise<number> {
    const now = this.clock.now()
    const accounts = this.#openAccounts()
    this.#quota.prune(now)
    const { isMoreLeft } = await prune(this.#schema.storage, [accounts.active(), ...accounts.older()], now)
    await sweepOlder(accounts, this.#feeCeilings, now)
    return isMoreLeft ? now : now + pruneEveryMs
  }

  #openSubmitter(): TransactionSubmitter {
    return this.#openAccounts().active()
  }

  #openAccounts(): RelayerAccounts {
    this.#accounts ??= openAccounts(this.#schema.storage, this.ctx.id, {
      settings: () => this.env,
      now: () => this.clock.now(),
      chains: () => this.chains,
      maxClockSkew: () => this.maxClockSkew,
      jobs: this.#jobs,
      quota: this.#quota,
      minedLogs: this.#minedLogs,
      feeCeilings: this.#feeCeilings,
    })
    return this.#accounts
  }
}

const maxWaitMs = 5_000 // 5 seconds

/** Calls that wait until a job is no longer `waiting`. */
export class JobWaiters {
  readonly #isWaiting: (id: string) => boolean
  readonly #waiters = new Map<string, Set<() => void>>()

  constructor(isWaiting: (id: string) => boolean) {
    this.#isWaiting = isWaiting
  }

  /** Returns once `resolve` finds the job no longer waiting, or after `ms` (at most 5,000). */
  async wait(id: string, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiters = this.#waiters.get(id) ?? new Set()
    this.#waiters.set(id, waiters.add(resolve))
    const timeout = setTimeout(resolve, Math.min(ms, maxWaitMs))
    await promise
    clearTimeout(timeout)
    waiters.delete(resolve)
    if (waiters.size === 0) this.#waiters.delete(id)
  }

  /** Call after every change of jobs. */
  resolve(): void {
    for (const [id, waiters] of this.#waiters) {
      if (this.#isWaiting(id)) continue
      for (const resolve of waiters) resolve()
    }
  }
}
