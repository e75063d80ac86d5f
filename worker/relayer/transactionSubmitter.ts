import { notAhead } from '../chain/clockSkew.ts'
import { type Address, type Block, type Chain, type Hex, RpcError, RpcUnavailable } from '../chain/types.ts'
import { logError } from '../observability/log.ts'
import { encodeBatch, failedInLogs } from './batchEncoding.ts'
import { type Batch, type InFlight, maxInFlight } from './chooseBatch.ts'
import type { FailureQuota } from './failureQuota.ts'
import { type FeeCeilings, type FeeReading, type Fees, replacementFees } from './fees.ts'
import type { JobQueue, QueuedJob } from './jobQueue.ts'
import type { MinedLogs } from './minedLogs.ts'
import { type Simulation, simulateBatch } from './simulation.ts'
import type { Transactions, WatchedAttempt } from './transactions.ts'

/** Blocks without a receipt after which a transaction is replaced with higher fees: 10 s. */
const stuckBlocks = 5
/** How long the receipt of a used nonce may be missing before its jobs are requeued: nodes behind one URL differ. */
const receiptGraceMs = 10_000 // 10 seconds
const pollMs = 1_000 // half a block
/** While transactions are only followed, everything but their receipts is read this often. */
const readAllMs = 5_000 // 5 seconds
/** Jobs wait for a receipt while the account has no capacity. */
const pollWithoutCapacityMs = 250
const maxReplacementsAtOnce = 3

export type SubmitterDeps = {
  name: string
  address: Address
  chain: () => Chain
  clock: () => number
  storage: DurableObjectStorage
  jobs: JobQueue
  quota: FailureQuota
  minedLogs: MinedLogs
  transactions: Transactions
  feeCeilings: FeeCeilings
  /** MAX_CLOCK_SKEW_SECONDS. */
  maxClockSkew: () => string | undefined
}

/**
 * Sends the transactions of one account and follows each until its nonce has an outcome. At most one nonce at a time
 * is uncertain, that is signed but not accepted by a node; until that is resolved no further nonce is taken.
 */
export class TransactionSubmitter {
  readonly name: string
  readonly address: Address
  readonly chain: () => Chain
  readonly transactions: Transactions
  readonly #feeCeilings: FeeCeilings
  readonly #maxClockSkew: () => string | undefined
  readonly #clock: () => number
  readonly #storage: DurableObjectStorage
  readonly #jobs: JobQueue
  readonly #quota: FailureQuota
  readonly #minedLogs: MinedLogs
  /** When head, fees and nonce were last read (ms). */
  #readAllAt = Number.NEGATIVE_INFINITY

  constructor(deps: SubmitterDeps) {
    this.name = deps.name
    this.address = deps.address
    this.chain = deps.chain
    this.transactions = deps.transactions
    this.#feeCeilings = deps.feeCeilings
    this.#maxClockSkew = deps.maxClockSkew
    this.#clock = deps.clock
    this.#storage = deps.storage
    this.#jobs = deps.jobs
    this.#quota = deps.quota
    this.#minedLogs = deps.minedLogs
  }

  /** True if no transaction needs watching. */
  isIdle(now: number): boolean {
    return this.transactions.watched(now).length === 0
  }

  inFlight(): InFlight {
    return { all: this.transactions.open().length, isolated: this.#jobs.isolatedInFlight() }
  }

  /** When to read receipts again (ms); null when idle. */
  nextPollAt(now: number): number | null {
    if (!this.transactions.hasCapacity()) return now + pollWithoutCapacityMs
    return this.isIdle(now) ? null : now + pollMs
  }

  /** Throws RpcUnavailable, also for a head from the future, which would make every waiting job look expired. */
  async readChain(): Promise<ChainSnapshot> {
    const hashes = this.transactions.watched(this.#clock()).map(({ hash }) => hash)
    const { firstNonce } = this.transactions
    const next = this.transactions.nextNonce()
    // While nothing is open, a nonce that someone else has used shows when the node refuses it.
    const known = next === null || this.transactions.open().length > 0 ? null : next - firstNonce
    this.#readAllAt = this.#clock()
    const snapshot = await readChainSnapshot(this.chain(), this.address, hashes, { known, isNew: next === null })
    notAhead(snapshot.head, this.#clock(), this.#maxClockSkew())
    return { ...snapshot, nonce: firstNonce + snapshot.nonce, pendingNonce: firstNonce + snapshot.pendingNonce }
  }

  /** Whether receipts are enough for now: nothing has to be sent, and the rest was read a moment ago. */
  needsOnlyReceipts(now: number): boolean {
    const isRecent = Math.abs(now - this.#readAllAt) < readAllMs
    return (
      isRecent && this.transactions.nextNonce() !== null && this.transactions.open().every(({ accepted }) => accepted)
    )
  }

  /** Makes the next step read everything. */
  forgetReading(): void {
    this.#readAllAt = Number.NEGATIVE_INFINITY
  }

  /** Reads the receipts of transactions that may have been mined. Throws RpcUnavailable. */
  async followReceipts(): Promise<void> {
    const hashes = this.transactions.watched(this.#clock()).map(({ hash }) => hash)
    const receipts = await readReceipts(this.chain(), hashes)
    this.#storage.transactionSync(() => this.#applyReceipts(receipts))
  }

  simulate(kind: Batch['kind'], jobs: readonly QueuedJob[]): Promise<Simulation> {
    return simulateBatch(this.chain(), this.address, kind, jobs)
  }

  /** Applies what the chain shows: receipts, expired jobs, and nonces that other transactions consumed. */
  reconcile(snapshot: ChainSnapshot): void {
    this.#storage.transactionSync(() => {
      this.#applyReceipts(snapshot.receipts)
      const now = this.#clock()
      this.#jobs.dropExpired(snapshot.head.timestamp, now)
      this.transactions.skipTo(this.transactions.nextNonce() === null ? snapshot.pendingNonce : snapshot.nonce)
      for (const { nonce } of this.transactions.open()) {
        if (nonce >= snapshot.nonce) break
        if (this.transactions.receiptMissingSince(nonce, now) <= now - receiptGraceMs) this.#markLost(nonce)
      }
    })
  }

  #applyReceipts(receipts: ReadonlyMap<Hex, Receipt>): void {
    for (const attempt of this.transactions.watched(this.#clock())) {
      const receipt = receipts.get(attempt.hash)
      if (receipt) this.#applyReceipt(attempt, receipt)
    }
  }

  #applyReceipt({ nonce, hash, is_cancellation }: WatchedAttempt, receipt: Receipt): void {
    const now = this.#clock()
    const { kind, target } = this.transactions.get(nonce)!
    this.transactions.close(nonce, 'mined', now)
    this.transactions.recordGas(nonce, receipt.gasUsed)
    const jobIds = this.transactions.jobIds(nonce)
    const reverted = receipt.status === 'reverted'
    if (is_cancellation === 1 || (reverted && kind !== 'direct')) {
      // Nothing was executed, or the batch itself failed: no job is to blame.
      for (const id of jobIds) this.#jobs.requeue(id, nonce, { isolated: true }, now)
      return
    }
    this.#minedLogs.keep(hash, receipt.logs)
    // A batch was sent to the Relay contract of its jobs' set.
    const failed = kind === 'direct' ? new Set(reverted ? [0] : []) : failedInLogs(receipt.logs, target)
    for (const [position, id] of jobIds.entries()) {
      if (failed.has(position)) this.#jobs.markFailedOnChain(id, nonce, hash, now)
      else this.#jobs.markMined(id, { hash, block: receipt.blockNumber }, now)
    }
  }

  /** Another transaction consumed the nonce: its jobs are sent again, which is harmless if ours was mined after all. */
  #markLost(nonce: number): void {
    logError('nonce_used_by_unknown_transaction', { relayer: this.name, nonce })
    this.transactions.close(nonce, 'lost', this.#clock())
    for (const id of this.transactions.jobIds(nonce)) this.#jobs.requeue(id, nonce, { isolated: false }, this.#clock())
  }

  /**
   * Sends a transaction that no node has accepted yet, or replaces one that does not get mined. Returns true if there was
   * neither, so that a new nonce may be taken.
   */
  async resolvePending(snapshot: SendingSnapshot): Promise<boolean> {
    const open = this.transactions.open()
    const unsent = open.find((transaction) => !transaction.accepted)
    if (unsent) {
      await this.#sendPending(unsent.nonce, snapshot)
      return false
    }
    const stuck = open.find(({ nonce }) => nonce >= snapshot.nonce)
    if (!stuck) return true
    const sentBlock = stuck.sent_block ?? 0
    // The block at which it was sent is gone or never existed: a node may have been wrong about it.
    if (sentBlock > snapshot.head.number) this.transactions.markAccepted(stuck.nonce, snapshot.head.number)
    if (snapshot.head.number - sentBlock < stuckBlocks) return true
    this.#storage.transactionSync(() => this.#unblock(stuck.nonce, snapshot))
    return false
  }

  async #sendPending(nonce: number, snapshot: SendingSnapshot): Promise<void> {
    if (nonce < snapshot.nonce) return this.#resolveUsedNonce(nonce)
    if (this.#isObsolete(nonce, snapshot)) {
      this.#storage.transactionSync(() => this.transactions.signCancellation(nonce, snapshot.fees, this.#clock()))
    }
    await this.#broadcast(nonce, snapshot)
  }

  /** Fills the nonce gap below a stuck transaction, or replaces it when there is none. */
  #unblock(nonce: number, snapshot: SendingSnapshot): void {
    const now = this.#clock()
    const end = Math.min(nonce, snapshot.nonce + maxInFlight)
    for (let gap = snapshot.nonce; gap < end; gap++) {
      this.transactions.fillGap(gap, snapshot.fees, now)
      this.#jobs.undoMined(gap)
    }
    if (snapshot.nonce === nonce) this.#replace(nonce, snapshot)
    // A node may have dropped the transactions behind the gap.
    else this.transactions.markUnsent(nonce)
  }

  /** For a nonce that is used although no node accepted our bytes: ours were mined unnoticed, or the nonce is lost. */
  async #resolveUsedNonce(nonce: number): Promise<void> {
    const hashes = this.transactions.attempts(nonce).map(({ hash }) => hash)
    const receipts = await readReceipts(this.chain(), hashes)
    const nextNonce = this.transactions.firstNonce + (await this.chain().accountNonce(this.address, 'latest'))
    this.#storage.transactionSync(() => {
      this.#applyReceipts(receipts)
      if (this.transactions.get(nonce)?.state !== 'open') return
      if (nextNonce <= nonce) throw new RpcUnavailable(`the node refuses nonce ${nonce}, but has not used it`)
      this.transactions.skipTo(nextNonce)
      this.#markLost(nonce)
    })
  }

  /** True if the content is not cancelled yet and none of its jobs can be executed any more. */
  #isObsolete(nonce: number, snapshot: SendingSnapshot): boolean {
    return (
      !this.transactions.newestAttempt(nonce).is_cancellation &&
      !this.transactions.isTransfer(nonce) &&
      !this.transactions.hasLiveJobs(nonce, snapshot.head.timestamp)
    )
  }

  /** Signs it again with higher fees, as a cancellation if it is obsolete. At the fee ceiling it is resent unchanged. */
  #replace(nonce: number, snapshot: SendingSnapshot): void {
    const { max_fee, max_priority_fee, is_cancellation } = this.transactions.newestAttempt(nonce)
    const last = { maxFeePerGas: BigInt(max_fee), maxPriorityFeePerGas: BigInt(max_priority_fee) }
    const fees = replacementFees(last, snapshot.fees, this.#feeCeilings)
    if (!fees) this.transactions.markUnsent(nonce)
    else if (is_cancellation === 1 || this.#isObsolete(nonce, snapshot)) {
      this.transactions.signCancellation(nonce, fees, this.#clock())
    } else this.transactions.sign(nonce, fees, this.#clock())
  }

  /** Parks jobs that failed in simulation, then signs, stores and sends the rest, simulated again if the batch shrank. */
  async submitBatch(
    kind: Batch['kind'],
    jobs: readonly QueuedJob[],
    simulation: Simulation,
    snapshot: SendingSnapshot,
  ): Promise<void> {
    const waiting = this.#applySimulation(jobs, simulation)
    if (simulation.batchReverts || waiting.length === 0) return
    if (kind === 'direct') {
      for (const job of waiting) await this.#submitTransaction(kind, [job], snapshot)
      return
    }
    const rest = waiting.length === 1 ? 'direct' : kind
    if (waiting.length < jobs.length) {
      const again = await this.simulate(rest, waiting)
      // Only a simulated batch is sent: if it failed again, or shrank meanwhile, the next step chooses again.
      if (this.#applySimulation(waiting, again).length < waiting.length || again.batchReverts) return
    }
    await this.#submitTransaction(rest, waiting, snapshot)
  }

  /** Parks the failing jobs. Returns the others that still wait. */
  #applySimulation(jobs: readonly QueuedJob[], { failing, batchReverts }: Simulation): QueuedJob[] {
    return this.#storage.transactionSync(() => {
      this.#quota.park(failing, this.#clock())
      if (batchReverts) this.#jobs.isolate(jobs.map(({ id }) => id))
      return this.#jobs.load(jobs.map(({ id }) => id)).filter(({ id }) => !failing.has(id))
    })
  }

  async #submitTransaction(kind: Batch['kind'], jobs: readonly QueuedJob[], snapshot: SendingSnapshot): Promise<void> {
    const nonce = this.#createTransaction(kind, jobs, snapshot)
    if (nonce !== null) await this.#broadcast(nonce, snapshot)
  }

  /** Stores nonce, signature and jobs together or not at all. Returns null if no nonce may be taken now. */
  #createTransaction(kind: Batch['kind'], jobs: readonly QueuedJob[], snapshot: SendingSnapshot): number | null {
    return this.#storage.transactionSync(() => {
      const ids = jobs.map(({ id }) => id)
      if (!this.transactions.mayTakeNonce() || this.#jobs.load(ids).length !== ids.length) return null
      const content = encodeBatch(kind, jobs, this.chain())
      const nonce = this.transactions.create(kind, content, ids, snapshot.fees, this.#clock())
      this.#jobs.markInFlight(ids, nonce)
      return nonce
    })
  }

  /** Sends the newest attempt of a nonce. Throws RpcUnavailable if the outcome is unknown or it has to wait. */
  async #broadcast(nonce: number, snapshot: SendingSnapshot): Promise<void> {
    for (let replacements = 0; ; replacements++) {
      const { hash, raw, is_cancellation } = this.transactions.newestAttempt(nonce)
      const error = await this.chain()
        .sendRaw(raw)
        .then(() => null)
        .catch((reason: unknown) => reason)
      const outcome = error === null ? 'accepted' : outcomeOf(error)
      if (outcome === 'accepted') {
        this.#storage.transactionSync(() => {
          this.transactions.markAccepted(nonce, snapshot.head.number)
          this.#jobs.markBroadcast(nonce, hash, this.#clock())
        })
        return
      }
      if (outcome === 'nonceTooLow') return this.#resolveUsedNonce(nonce)
      const canReplace = outcome === 'underpriced' || (outcome === 'refused' && !is_cancellation)
      if (!canReplace || replacements >= maxReplacementsAtOnce) {
        throw new RpcUnavailable(`nonce ${nonce} is not accepted`, { cause: error })
      }
      this.#storage.transactionSync(() => {
        if (outcome === 'refused') this.transactions.signCancellation(nonce, snapshot.fees, this.#clock())
        else this.#replace(nonce, snapshot)
      })
    }
  }
}

/**
 * accepted: it is in a pool or mined. nonceTooLow: its nonce is used. underpriced: it needs higher fees. later: the same
 * bytes may be accepted later (no gas money, full pool, no reply). refused: they never will be.
 */
export type BroadcastOutcome = 'accepted' | 'nonceTooLow' | 'underpriced' | 'later' | 'refused'

/**
 * Classifies the error of eth_sendRawTransaction. There are no error codes for this, so it matches the messages of geth,
 * reth, erigon, nethermind and anvil. Rethrows errors that are not a reply of the node.
 */
export function outcomeOf(error: unknown): BroadcastOutcome {
  if (error instanceof RpcUnavailable) return 'later'
  if (!(error instanceof RpcError)) throw error
  const text = error.message
  if (/already (known|imported)|alreadyknown|known transaction|already exists/i.test(text)) return 'accepted'
  if (/nonce too low|oldnonce|nonce has already been used|nonce.*lower than/i.test(text)) return 'nonceTooLow'
  if (/underpriced|fee too low|feetoolow|fee.*less than.*base ?fee|below.*base ?fee/i.test(text)) return 'underpriced'
  if (/intrinsic gas|exceeds .*gas limit|gas limit (reached|too high)|oversized|invalid|exceeds.*cap/i.test(text)) {
    return 'refused'
  }
  return 'later'
}

export type Receipt = NonNullable<Awaited<ReturnType<Chain['receipt']>>>

/** The state of the chain as one step has read it. */
export type ChainSnapshot = {
  head: Block
  feeReading: FeeReading
  /** The account's next nonce by mined transactions: the chain's, to which the submitter adds `firstNonce`. */
  nonce: number
  /** The same, counting the pool as well; read only while our own next nonce is unknown, otherwise equal to `nonce`. */
  pendingNonce: number
  receipts: Map<Hex, Receipt>
}

/** A snapshot with fees within the ceilings, so that transactions may be sent. */
export type SendingSnapshot = ChainSnapshot & { fees: Fees }

/** Reads everything in one round trip, but the nonce only if it is not known. Throws RpcUnavailable. */
export async function readChainSnapshot(
  chain: Chain,
  account: Address,
  hashes: readonly Hex[],
  nextNonce: { known: number | null; isNew: boolean },
): Promise<ChainSnapshot> {
  const [{ head, ...feeReading }, nonce, pendingNonce, receipts] = await Promise.all([
    chain.fees(),
    nextNonce.known ?? chain.accountNonce(account, 'latest'),
    nextNonce.isNew ? chain.accountNonce(account, 'pending') : 0,
    readReceipts(chain, hashes),
  ])
  return { head, feeReading, nonce, pendingNonce: Math.max(nonce, pendingNonce), receipts }
}

/** Receipts by transaction hash; hashes the node does not know are left out. Throws RpcUnavailable. */
export async function readReceipts(chain: Chain, hashes: readonly Hex[]): Promise<Map<Hex, Receipt>> {
  const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash)))
  return new Map(hashes.flatMap((hash, i) => (receipts[i] ? [[hash, receipts[i]] as const] : [])))
}
