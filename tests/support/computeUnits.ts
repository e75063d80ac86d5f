/** What a node's calls cost in compute units, as in the estimates of docs/scale.md. */
const weights: Record<string, number> = {
  eth_maxPriorityFeePerGas: 10,
  eth_getBlockByNumber: 20,
  eth_getBlockReceipts: 20,
  eth_getTransactionReceipt: 20,
  eth_getTransactionCount: 20,
  eth_getBalance: 20,
  eth_getCode: 20,
  eth_call: 26,
  eth_sendRawTransaction: 40,
  eth_getLogs: 60,
}

/** The compute units of calls, counted by method. Throws for a method without a weight. */
export function computeUnits(calls: Record<string, number>): number {
  return Object.entries(calls).reduce((sum, [method, count]) => {
    const weight = weights[method]
    if (weight === undefined) throw new Error(`no weight for ${method}`)
    return sum + weight * count
  }, 0)
}

/** The weights in words: `eth_call 26`, cheapest first. */
export const weightsInWords = Object.entries(weights).map(([method, weight]) => `${method} ${weight}`)
