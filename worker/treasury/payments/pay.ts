import { kindOf } from '#domain/kinds/kinds.ts'
import type { Result } from '../../result.ts'
import { freshHead, isNodeTrouble, refuseUnreachable } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { signEveryMs } from '../core/minedReports.ts'
import { freshStop } from '../core/stop.ts'
import { isRelayed } from '../core/storage/kindSql.ts'
import type { PaymentRow, WalletRow } from '../core/storage/rows.ts'
import type { Submissions } from '../wallets/relay/submissions.ts'
import { queueSignedPayment } from '../wallets/relay/submitJobs.ts'
import { loadSessionKey } from '../wallets/sessionKeys.ts'
import { type Accepted, accept } from './accept.ts'
import type { Gathered, Need, NeedResolver } from './needs.ts'
import type { PayInput } from './rpcTypes.ts'
import { signQueued } from './sign.ts'

/** Takes a payment from the call to the Relayer: everything asynchronous around the decision in accept.ts. */
export class PaymentFlow {
  readonly #context: Context
  readonly #needs: NeedResolver
  readonly #submissions: Submissions
  readonly #waitUntil: (work: Promise<unknown>) => void
  readonly #batcher: CommitBatcher

  constructor(
    context: Context,
    needs: NeedResolver,
    submissions: Submissions,
    waitUntil: (work: Promise<unknown>) => void,
  ) {
    this.#context = context
    this.#needs = needs
    this.#submissions = submissions
    this.#waitUntil = waitUntil
    this.#batcher = new CommitBatcher(() => context.now())
  }

  pay(input: PayInput): Promise<Result<Accepted>> {
    return this.run(input, (gathered) => accept(this.#context, input, gathered))
  }

  /** A payment by the owner, which never needs approval. */
  async payAsOwner(input: PayInput): Promise<Result<Accepted>> {
    const result = await this.pay(input)
    if (result.ok && result.value.payment.status === 'PENDING_APPROVAL')
      throw new Error('an owner payment was held for approval')
    return result
  }

  /** Runs `decide`, gathering what it needs, and delivers the payment if it was accepted. For `input` see NeedResolver. */
  async run<T extends object>(
    input: Parameters<NeedResolver['decide']>[1],
    decide: (gathered: Gathered) => Result<T | Accepted> | Need,
  ): Promise<Result<T | Accepted>> {
    await Promise.all([this.#batcher.join(), freshStop(this.#context)])
    const result = await refuseUnreachable(() => this.#needs.decide(decide, input))
    if (result.ok && 'accepted' in result.value && result.value.accepted)
      this.#deliver(result.value.accepted.wallet, result.value.payment)
    return result
  }

  /** Submits the payment. If it could not be signed on acceptance, such as without a fresh head, it is signed first. */
  #deliver(wallet: WalletRow, payment: PaymentRow): void {
    const { submittedBy, transfer } = kindOf(payment)
    if (submittedBy === 'seller') return
    if (payment.status === 'QUEUED') {
      this.#waitUntil(this.#signLater(wallet))
      return
    }
    queueSignedPayment(this.#context, wallet, payment)
    this.#submissions.start({ fromTables: transfer === 'funded' })
  }

  async #signLater(wallet: WalletRow): Promise<void> {
    const { store } = this.#context
    try {
      const head = await freshHead(this.#context, wallet.chain_id)
      await loadSessionKey(this.#context, wallet)
      await freshStop(this.#context)
      store.transaction(() => signQueued(this.#context, store.wallet(wallet.id)!, head))
      this.#submissions.start({ fromTables: true })
    } catch (error) {
      if (!isNodeTrouble(error)) throw error
    } finally {
      const isSigned = store.count(`payment WHERE status = 'QUEUED' AND ${isRelayed('kind')}`) === 0
      if (!isSigned) this.#context.schedule('settle', this.#context.now() + signEveryMs)
    }
  }
}

/** Calls closer together than this count as load. */
const quietMs = 50
/** The longest a call waits for others. */
const maxWaitMs = 20

/**
 * Lets calls that arrive together be decided in one turn of the event loop, so that SQLite flushes to disk once for all of
 * them. The first call after a quiet period does not wait.
 */
class CommitBatcher {
  readonly #now: () => number
  #lastCallAt = 0
  #calls = 0
  #batch: Promise<void> | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  /** Resolves when the caller may decide. Returns undefined if it may decide immediately. */
  join(): Promise<void> | undefined {
    const at = this.#now()
    const isQuiet = at - this.#lastCallAt > quietMs
    this.#lastCallAt = at
    this.#calls += 1
    if (isQuiet && !this.#batch) return
    this.#batch ??= this.#collect(at + maxWaitMs)
    return this.#batch
  }

  /** Waits only while more calls keep arriving, so a lone caller waits a millisecond instead of the maximum. */
  async #collect(until: number): Promise<void> {
    let before: number
    do {
      before = this.#calls
      await scheduler.wait(1)
    } while (this.#calls > before && this.#now() < until)
    this.#batch = null
  }
}
