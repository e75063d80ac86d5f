import { addressTopic } from '../chain/calls.ts'
import type { Address, Hex, Log } from '../chain/types.ts'

const mostTransactions = 64

/**
 * Logs of the transactions that were mined last, in memory only. A Treasury that gets its wallet's with a report does not have to
 * ask the node for them again; one that does not reads them itself.
 */
export class MinedLogs {
  readonly #byHash = new Map<Hex, Log[]>()

  keep(hash: Hex, logs: Log[]): void {
    this.#byHash.set(hash, logs)
    if (this.#byHash.size > mostTransactions) this.#byHash.delete(this.#byHash.keys().next().value!)
  }

  /** Those that the wallet emitted, and those that name it; null if they are not known. */
  of(hash: Hex, wallet: Address): Log[] | null {
    const topic = addressTopic(wallet)
    const isOf = ({ address, topics }: Log) => address === wallet.toLowerCase() || topics.includes(topic)
    return this.#byHash.get(hash)?.filter(isOf) ?? null
  }
}
