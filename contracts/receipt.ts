import { setTimeout } from 'node:timers/promises'
import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'

const pollMs = 20
const timeoutMs = 60_000

/**
 * The receipt of a transaction, once it is mined. Throws after a minute. viem's waitForTransactionReceipt looks again at each new
 * block: where a node names a block before it has the receipts, and mines no other until it gets a transaction, that is never.
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
