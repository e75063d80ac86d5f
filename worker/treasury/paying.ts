import type { Address } from '../chain/types.ts'
import { isPayoutAddress } from '../db/readModel.ts'
import type { Refused, Result } from '../errors.ts'
import { type Accepted, accept, type Prepared } from './accept.ts'
import { type Context, freshHead, isNodeTrouble } from './context.ts'
import { deliver, deliverFresh, handOver, noteReports, relayerOf } from './deliver.ts'
import { draftPayout } from './payouts.ts'
import { payoutAddressKey } from './plan.ts'
import { scanWallet } from './scan.ts'
import { loadSessionKey, signQueued } from './sign.ts'
import type { PaymentRow, WalletRow } from './store.ts'
import type { PayInput } from './types.ts'
import { readSession } from './wallets.ts'

const gatherMs = 50 // of deliveries, under load
const turnMs = 20 // the most a call waits for others that come with it

export const unreachable: Refused = {
  ok: false,
  code: 'upstream_unavailable',
  message: 'The Base network can’t be reached right now. Nothing was sent; please try again.',
}

/** The way of a payment from the call to the Relayer. All that awaits stands here, around the decision in accept.ts. */
export class Paying {
  readonly #context: Context
  readonly #waitUntil: (work: Promise<unknown>) => void
  #delivering: Promise<void> | null = null
  #again = false
  /** Look through the tables as well, not only at what was just signed. */
  #all = false
  #deliveredAt = 0
  #paidAt = 0
  /** Calls so far. */
  #arrived = 0
  #turn: Promise<void> | null = null
  /** One reading of the chain per wallet at a time, shared by all who wait for it. */
  readonly #rereads = new Map<string, Promise<void>>()
  readonly #rereadAt = new Map<string, number>()

  constructor(context: Context, waitUntil: (work: Promise<unknown>) => void) {
    this.#context = context
    this.#waitUntil = waitUntil
  }

  /** The delivery under way, if any. Never rejects. */
  get delivered(): Promise<void> | null {
    return this.#delivering
  }

  /** When the chain was last read for this wallet outside its timers (ms). */
  rereadAt(walletId: string): number {
    return this.#rereadAt.get(walletId) ?? 0
  }

  /** Try to decide; fetch what is missing; try again. Everything that awaits happens outside the decision. */
  async pay(input: PayInput): Promise<Result<Accepted>> {
    const context = this.#context
    await this.#together()
    const prepared: Prepared = { draft: null, lookup: null, reread: false }
    try {
      for (;;) {
        const result = accept(context, input, prepared)
        if (!('need' in result)) {
          if (result.ok && !result.value.replayed) this.#deliverSigned(result.value.wallet, result.value.payment)
          return result
        }
        if (result.need === 'lookup') {
          prepared.lookup = await this.#lookUp(result.address)
        } else if (result.need === 'reread') {
          await this.reread(result.wallet, result.freshEnoughMs)
          prepared.reread = true
        } else {
          prepared.draft = await draftPayout(context, result.wallet, {
            amount: input.amount,
            expiresInDays: input.expiresInDays ?? 30,
            senderName: input.senderName ?? null,
          })
        }
      }
    } catch (error) {
      if (isNodeTrouble(error)) return unreachable
      throw error
    }
  }

  /** Under load, calls that come together are decided in one turn: SQLite then writes to disk once for all of them. */
  #together(): Promise<void> | undefined {
    const at = this.#context.now()
    const isQuiet = at - this.#paidAt > gatherMs
    this.#paidAt = at
    this.#arrived += 1
    if (isQuiet && !this.#turn) return
    this.#turn ??= this.#gather(at + turnMs)
    return this.#turn
  }

  /** For as long as more keep coming: a caller that is alone waits a moment, not the whole time. */
  async #gather(until: number): Promise<void> {
    let before: number
    do {
      before = this.#arrived
      await scheduler.wait(1)
    } while (this.#arrived > before && this.#context.now() < until)
    this.#turn = null
  }

  /** Before refusing for balance or session the chain is read once more; an unreachable node leaves what we know. */
  reread(wallet: WalletRow, freshEnoughMs = 0): Promise<void> {
    const running = this.#rereads.get(wallet.id)
    if (running) return running
    if (this.#context.now() - (this.#rereadAt.get(wallet.id) ?? 0) < freshEnoughMs) return Promise.resolve()
    this.#rereadAt.set(wallet.id, this.#context.now())
    const reading = (async () => {
      try {
        await scanWallet(this.#context, wallet.id)
        await readSession(this.#context, wallet)
      } catch (error) {
        if (!isNodeTrouble(error)) throw error
      } finally {
        this.#rereads.delete(wallet.id)
      }
    })()
    this.#rereads.set(wallet.id, reading)
    return reading
  }

  /** Nobody pays a payout's address by hand. Asked once per new recipient; D1 is never needed to pay. */
  async #lookUp(address: Address): Promise<Prepared['lookup']> {
    try {
      if (!(await isPayoutAddress(this.#context.env.DB, address))) return { address, isClear: true }
      this.#context.store.setMeta(payoutAddressKey(address), '1')
    } catch (error) {
      console.error('recipient not looked up', error)
    }
    return { address, isClear: false }
  }

  /** Most are signed when they are accepted; without a fresh head or an open key that is made up for now. */
  #deliverSigned(wallet: WalletRow, payment: PaymentRow): void {
    if (payment.status === 'QUEUED') {
      this.#waitUntil(this.#signLater(wallet))
      return
    }
    handOver(this.#context, wallet, payment)
    this.deliverSoon(payment.kind === 'payout')
  }

  async #signLater(wallet: WalletRow): Promise<void> {
    try {
      const head = await freshHead(this.#context, wallet.chain_id)
      await loadSessionKey(this.#context, wallet)
      this.#context.store.transaction(() => signQueued(this.#context, this.#context.store.wallet(wallet.id)!, head))
      this.deliverSoon()
    } catch (error) {
      if (!isNodeTrouble(error)) throw error
    }
  }

  /** One delivery at a time; what arrives meanwhile goes with the next. The settle timer covers a lost one. */
  deliverSoon(all = true): void {
    this.#again = true
    this.#all ||= all
    if (this.#delivering) return
    this.#delivering = this.#deliverLoop().finally(() => {
      this.#delivering = null
      if (this.#again) this.deliverSoon(false)
    })
    this.#waitUntil(this.#delivering)
  }

  async #deliverLoop(): Promise<void> {
    try {
      while (this.#again) {
        // Under load what comes in the next moments goes along; the first of a quiet time does not wait.
        if (this.#context.now() - this.#deliveredAt < gatherMs * 2) await scheduler.wait(gatherMs)
        const all = this.#all
        this.#again = false
        this.#all = false
        await deliverFresh(this.#context)
        if (all) await deliver(this.#context)
        this.#deliveredAt = this.#context.now()
      }
    } catch (error) {
      console.error('delivery failed, will be repeated', error)
      this.#again = false
    }
  }

  /** Up to `ms` for the hash of a payment that was just accepted. */
  async waitForHash(payment: PaymentRow, ms: number): Promise<void> {
    const { store } = this.#context
    await this.#delivering
    const now = store.payment(payment.id)!
    if (now.sig_version === 0) return
    try {
      const report = await relayerOf(this.#context, store.wallet(now.wallet_id)!.chain_id).wait(
        `${now.id}:${now.sig_version}`,
        ms,
      )
      if (report) noteReports(this.#context, [report])
    } catch (error) {
      console.error('relayer did not answer', error)
    }
  }
}
