/** Fees of relayer transactions, in wei per gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** Nodes accept a replacement from 10 % more in both fields; the unit makes tiny fees move too. */
const raised = (fee: bigint): bigint => fee + fee / 8n + 1n

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Above this we wait instead of paying: 200 gwei, far over anything Base has seen. */
export const feeCeiling = 200_000_000_000n

/** Fees of the replacement of a transaction that went out with `last`; null when it would pass the ceiling. */
export function replacementFees(last: Fees, current: Fees): Fees | null {
  const maxPriorityFeePerGas = larger(raised(last.maxPriorityFeePerGas), current.maxPriorityFeePerGas)
  const maxFeePerGas = larger(larger(raised(last.maxFeePerGas), current.maxFeePerGas), maxPriorityFeePerGas)
  return maxFeePerGas > feeCeiling ? null : { maxFeePerGas, maxPriorityFeePerGas }
}
