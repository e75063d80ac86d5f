import { setTimeout } from 'node:timers/promises'
import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'

const pollMs = 20
const timeoutMs = 60_000

/**
 * Returns a transaction's receipt once it is mined. Throws after a minute. viem's waitForTransactionReceipt checks again
 * only on a new block. If a node reports a block before its receipts, and mines only on demand, it would wait forever.
 */
export async function waitForReceipt(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
): Promise<TransactionReceipt> {
  for (const deadline = Date.now() + timeoutMs; ; await setTimeout(pollMs)) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError) || Date.now() > deadline) throw error
    }
  }
}
