import { type Address, type Chain, type Hex, RpcUnavailable } from '../chain/types.ts'
import { maxInFlight, type Plan } from '../domain/batch.ts'
import { replacementFees } from '../domain/fees.ts'
import { outcomeOf } from './broadcastOutcome.ts'
import type { Items, LoadedItem } from './items.ts'
import { cargoOf, failedInLogs } from './packing.ts'
import type { Transactions } from './transactions.ts'
import { look, type Receipt, receiptsOf, simulate, type Verdict, type View } from './view.ts'

/** Blocks without a receipt after which a transaction is sent again with more fees: 10 s. */
const stuckBlocks = 5
/** How long a used-up number may lack a receipt before its cargo is sent again: nodes behind one URL differ. */
const missingMs = 10_000 // 10 seconds
const lookEveryMs = 1_000 // half a block
const maxBumpsAtOnce = 3

type Deps = {
  name: string
  address: Address
  chain: () => Chain
  clock: () => number
  storage: DurableObjectStorage
  items: Items
  transactions: Transactions
}

/** Brings transactions of one account on chain and follows them to their receipt. */
export class Courier {
  readonly name: string
  readonly address: Address
  readonly chain: () => Chain
  readonly transactions: Transactions
  readonly #clock: () => number
  readonly #storage: DurableObjectStorage
  readonly #items: Items

  constructor(deps: Deps) {
    this.name = deps.name
    this.address = deps.address
    this.chain = deps.chain
    this.transactions = deps.transactions
    this.#clock = deps.clock
    this.#storage = deps.storage
    this.#items = deps.items
  }

  /** Nothing of ours is under way. */
  isIdle(now: number): boolean {
    return this.transactions.watched(now).length === 0
  }

  nextLookAt(now: number): number | null {
    return this.isIdle(now) ? null : now + lookEveryMs
  }

  look(): Promise<View> {
    const hashes = this.transactions.watched(this.#clock()).map(({ hash }) => hash)
    return look(this.chain(), this.address, hashes, this.transactions.nextNonce() === null)
  }

  simulate(kind: Plan['kind'], items: readonly LoadedItem[]): Promise<Verdict> {
    return simulate(this.chain(), this.address, kind, items)
  }

  /** Books what the chain shows: receipts, expired items, numbers somebody else used. */
  settle(view: View): void {
    this.#storage.transactionSync(() => {
      this.#settleReceipts(view.receipts)
      this.#items.dropExpired(view.head.timestamp, this.#clock())
      this.transactions.adopt(this.transactions.nextNonce() === null ? view.pendingNonce : view.nonce)
      for (const { nonce } of this.transactions.open()) {
        if (nonce >= view.nonce) break
        const now = this.#clock()
        if (this.transactions.missingSince(nonce, now) <= now - missingMs) this.#lose(nonce)
      }
    })
  }

  #settleReceipts(receipts: ReadonlyMap<Hex, Receipt>): void {
    for (const attempt of this.transactions.watched(this.#clock())) {
      const receipt = receipts.get(attempt.hash)
      if (receipt) this.#settleReceipt(attempt.nonce, attempt.hash, attempt.empty === 1, receipt)
    }
  }

  #settleReceipt(nonce: number, hash: Hex, isEmpty: boolean, receipt: Receipt): void {
    const now = this.#clock()
    const { kind } = this.transactions.get(nonce)!
    this.transactions.close(nonce, 'mined', now)
    const cargo = this.transactions.cargo(nonce)
    const reverted = receipt.status === 'reverted'
    if (isEmpty || (reverted && kind !== 'direct')) {
      // Nothing of it was tried, or the batch as such failed: no item is to blame.
      for (const id of cargo) this.#items.requeue(id, nonce, true, now)
      return
    }
    const failed = kind === 'direct' ? new Set(reverted ? [0] : []) : failedInLogs(receipt.logs, this.#relay())
    for (const [position, id] of cargo.entries()) {
      if (failed.has(position)) this.#items.failed(id, nonce, hash, now)
      else this.#items.mined(id, hash, now)
    }
  }

  /** A transaction that is none of ours used the number: its cargo travels again, which is harmless if it is there. */
  #lose(nonce: number): void {
    const now = this.#clock()
    console.error('relayer', this.name, `account number ${nonce} was used by an unknown transaction`)
    this.transactions.close(nonce, 'lost', now)
    for (const id of this.transactions.cargo(nonce)) this.#items.requeue(id, nonce, false, now)
  }

  /**
   * Sends what no node has taken yet, and cures what does not get mined. True when nothing of the kind is left, so
   * that a new number may be taken: at most one number is ever uncertain.
   */
  async care(view: View): Promise<boolean> {
    const open = this.transactions.open()
    const unsent = open.find((transaction) => !transaction.accepted)
    if (unsent) {
      if (unsent.nonce < view.nonce) await this.#lookUp(unsent.nonce)
      else {
        if (this.#isUseless(unsent.nonce, view)) {
          this.#storage.transactionSync(() => this.transactions.sign(unsent.nonce, view.fees, this.#clock(), true))
        }
        await this.#deliver(unsent.nonce, view)
      }
      return false
    }
    const stuck = open.find(({ nonce }) => nonce >= view.nonce)
    if (!stuck || view.head.number - (stuck.sent_block ?? 0) < stuckBlocks) return true
    this.#storage.transactionSync(() => {
      const now = this.#clock()
      const last = Math.min(stuck.nonce, view.nonce + maxInFlight)
      for (let hole = view.nonce; hole < last; hole++) {
        this.transactions.fillHole(hole, view.fees, now)
        this.#items.unsettle(hole)
      }
      if (view.nonce === stuck.nonce) this.#replace(stuck.nonce, view)
      // A node may have forgotten the ones behind it.
      else this.transactions.forget(stuck.nonce)
    })
    return false
  }

  /** A number we have no receipt for is used up although no node ever took our bytes. */
  async #lookUp(nonce: number): Promise<void> {
    const hashes = this.transactions.attempts(nonce).map(({ hash }) => hash)
    const receipts = await receiptsOf(this.chain(), hashes)
    const used = await this.chain().accountNonce(this.address, 'latest')
    this.#storage.transactionSync(() => {
      this.#settleReceipts(receipts)
      if (this.transactions.get(nonce)?.state !== 'open') return
      if (used <= nonce) throw new RpcUnavailable(`the node refuses account number ${nonce}, but has not used it`)
      this.transactions.adopt(used)
      this.#lose(nonce)
    })
  }

  /** Nobody needs its content any more, and it still has one. */
  #isUseless(nonce: number, view: View): boolean {
    return !this.transactions.newest(nonce).empty && !this.transactions.isWanted(nonce, view.head.timestamp)
  }

  /** The same content with more fees, or nothing in its place once nobody needs it. */
  #replace(nonce: number, view: View): void {
    const { max_fee, max_priority_fee, empty } = this.transactions.newest(nonce)
    const last = { maxFeePerGas: BigInt(max_fee), maxPriorityFeePerGas: BigInt(max_priority_fee) }
    const fees = replacementFees(last, view.fees)
    const isEmpty = empty === 1 || this.#isUseless(nonce, view)
    if (fees) this.transactions.sign(nonce, fees, this.#clock(), isEmpty)
    else this.transactions.forget(nonce)
  }

  /** Takes a number for what passed the simulation, stores the signed bytes, then sends them. */
  async dispatch(kind: Plan['kind'], items: readonly LoadedItem[], verdict: Verdict, view: View): Promise<void> {
    const cargoes = this.#storage.transactionSync(() => {
      const now = this.#clock()
      for (const [id, reason] of verdict.failing) this.#items.park(id, reason, now)
      if (verdict.whole !== null) for (const { id } of items) this.#items.setAlone(id)
      // What was simulated is what is sent: a batch with a failing item is chosen again without it.
      const isSettled = verdict.whole === null && (kind === 'direct' || verdict.failing.size === 0)
      const waiting = this.#items.load(items.map(({ id }) => id)).filter(({ id }) => !verdict.failing.has(id))
      if (!isSettled || (kind !== 'direct' && waiting.length !== items.length)) return []
      return kind === 'direct' ? waiting.map((item) => [item]) : [waiting]
    })
    for (const cargo of cargoes) {
      const nonce = this.#allocate(kind, cargo, view)
      if (nonce !== null) await this.#deliver(nonce, view)
    }
  }

  /** One synchronous step: the number, the signature and the rows are stored together or not at all. */
  #allocate(kind: Plan['kind'], items: readonly LoadedItem[], view: View): number | null {
    return this.#storage.transactionSync(() => {
      const ids = items.map(({ id }) => id)
      const open = this.transactions.open()
      const mayGo = open.length < maxInFlight && open.every(({ accepted }) => accepted)
      if (!mayGo || this.#items.load(ids).length !== ids.length) return null
      const cargo = cargoOf(kind, items, this.#relay())
      const nonce = this.transactions.allocate(kind, cargo, ids, view.fees, this.#clock())
      this.#items.carry(ids, nonce)
      return nonce
    })
  }

  /** Sends the newest signed bytes of a number. Throws RpcUnavailable when the outcome is unknown or must wait. */
  async #deliver(nonce: number, view: View): Promise<void> {
    for (let bumps = 0; ; bumps++) {
      const { hash, raw, empty } = this.transactions.newest(nonce)
      const error = await this.chain()
        .sendRaw(raw)
        .then(() => null)
        .catch((reason: unknown) => reason)
      const outcome = error === null ? 'accepted' : outcomeOf(error)
      if (outcome === 'accepted') {
        this.#storage.transactionSync(() => {
          this.transactions.accepted(nonce, view.head.number)
          this.#items.broadcast(nonce, hash, this.#clock())
        })
        return
      }
      if (outcome === 'nonceTooLow') return this.#lookUp(nonce)
      const mayReplace = bumps < maxBumpsAtOnce && (outcome === 'underpriced' || (outcome === 'refused' && !empty))
      if (!mayReplace) throw new RpcUnavailable(`account number ${nonce} is not taken`, { cause: error })
      this.#storage.transactionSync(() => {
        if (outcome === 'refused') this.transactions.sign(nonce, view.fees, this.#clock(), true)
        else this.#replace(nonce, view)
      })
    }
  }

  #relay(): Address {
    return this.chain().contracts.relay
  }
}
