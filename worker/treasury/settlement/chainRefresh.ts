import { isNodeTrouble } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { isNotRestored } from '../core/stop.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { markActive, readBy } from '../wallets/idleReads.ts'
import { readSession } from '../wallets/session.ts'
import { endFinal, hasReturned } from './finality.ts'
import { scanWallet } from './scan.ts'

/**
 * Readings outside the alarms, for instance before a payment is refused for balance. Each wallet has at most one at a time,
 * which concurrent callers share.
 */
export class ChainRefresh {
  readonly #context: Context
  readonly #running = new Map<string, Promise<void>>()
  readonly #startedAt = new Map<string, number>()

  constructor(context: Context) {
    this.#context = context
  }

  /** When this object last read the wallet (ms); 0 if never. */
  lastReadAt(walletId: string): number {
    return this.#startedAt.get(walletId) ?? 0
  }

  /** See `chainReads` in context.ts. */
  refresh(wallet: WalletRow, freshEnoughMs = 0): Promise<void> {
    const running = this.#running.get(wallet.id)
    if (running) return running
    const now = this.#context.now()
    if (now - this.lastReadAt(wallet.id) < freshEnoughMs) return Promise.resolve()
    this.#startedAt.set(wallet.id, now)
    markActive(this.#context, wallet.id)
    const reading = this.#read(wallet)
    this.#running.set(wallet.id, reading)
    return reading
  }

  async #read(wallet: WalletRow): Promise<void> {
    try {
      // A restore searches for unknown transfers only in blocks that this object has not read yet.
      if (!(await isNotRestored(this.#context))) return
      if (!(await scanWallet(this.#context, wallet.id))) readBy(this.#context, wallet.id, this.#context.now())
      await readSession(this.#context, wallet)
      if (hasReturned(this.#context, wallet.id)) await endFinal(this.#context, wallet)
    } catch (error) {
      if (!isNodeTrouble(error)) throw error
    } finally {
      this.#running.delete(wallet.id)
    }
  }
}
