import type { Result } from '../../result.ts'
import type { PayInput } from '../api.ts'
import { freshHead, isNodeTrouble, refuseUnreachable } from '../chainHeads.ts'
import type { Context } from '../context.ts'
import { freshStop } from '../operators/stop.ts'
import type { Submissions } from '../relay/submissions.ts'
import { queueSignedPayment } from '../relay/submitJobs.ts'
import type { PaymentRow, WalletRow } from '../storage/rows.ts'
import { loadSessionKey } from '../wallets/sessionKeys.ts'
import { type Accepted, accept } from './accept.ts'
import { CommitBatcher } from './commitBatcher.ts'
import type { NeedResolver } from './needs.ts'
import { signQueued } from './sign.ts'

/** The way of a payment from the call to the Relayer: everything that awaits, around the decision in accept.ts. */
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

  async pay(input: PayInput): Promise<Result<Accepted>> {
    await Promise.all([this.#batcher.join(), freshStop(this.#context)])
    const result = await refuseUnreachable(() =>
      this.#needs.decide((gathered) => accept(this.#context, input, gathered), input),
    )
    if (result.ok && !result.value.replayed) this.#deliver(result.value.wallet, result.value.payment)
    return result
  }

  /** Most payments are signed when they are accepted; without a fresh head or an open key they are signed now. */
  #deliver(wallet: WalletRow, payment: PaymentRow): void {
    if (payment.status === 'QUEUED') {
      this.#waitUntil(this.#signLater(wallet))
      return
    }
    queueSignedPayment(this.#context, wallet, payment)
    this.#submissions.start({ fromTables: payment.kind === 'payout' })
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
    }
  }
}
