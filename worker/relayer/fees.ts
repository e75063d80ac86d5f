import { formatGwei, parseGwei } from 'viem/utils'
import { parseNumbers } from '#domain/limits.ts'

/** Fees of relayer transactions, in wei per gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
/** The fees that a node reports, in wei per gas. */
export type FeeReading = { baseFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/**
 * Nothing is sent above these, so that neither a lying node nor a rush on the network can empty the relayer's account. In
 * gwei per gas; Base usually asks for less than a hundredth of them. The priority fee is paid as signed; of the base fee,
 * only what the block really costs. Gas limits are our own (batchEncoding.ts): no estimate of a node is used.
 */
export const defaultFeeCeilings = { baseFee: 5, priorityFee: 2 }
export type FeeCeilings = { baseFee: bigint; priorityFee: bigint }

/** Returns the setting FEE_CEILINGS in wei. Throws if it is malformed. */
export function parseFeeCeilings(text: string | undefined): FeeCeilings {
  const { baseFee, priorityFee } = { ...defaultFeeCeilings, ...parseNumbers(text, defaultFeeCeilings, 'fee ceiling') }
  return { baseFee: parseGwei(baseFee.toFixed(9)), priorityFee: parseGwei(priorityFee.toFixed(9)) }
}

/** Fees to sign with, which leave room for the base fee to double (six full blocks); or why nothing may be sent. */
export function feesWithin(reading: FeeReading, ceilings: FeeCeilings): Fees | { problem: string } {
  const { baseFeePerGas, maxPriorityFeePerGas } = reading
  if (baseFeePerGas > ceilings.baseFee) return above('base fee', baseFeePerGas, ceilings.baseFee)
  if (maxPriorityFeePerGas > ceilings.priorityFee) {
    return above('priority fee', maxPriorityFeePerGas, ceilings.priorityFee)
  }
  return { maxFeePerGas: baseFeePerGas * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

const above = (name: string, fee: bigint, ceiling: bigint) => ({
  problem: `the node asks for a ${name} of ${formatGwei(fee)} gwei, the ceiling is ${formatGwei(ceiling)}`,
})

/** Nodes accept a replacement when both fees are at least 10 % higher; the extra 1 wei raises tiny fees too. */
const raised = (fee: bigint): bigint => fee + fee / 8n + 1n

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Fees for replacing a transaction that was sent with `last`; null if they would exceed the ceilings. */
export function replacementFees(last: Fees, current: Fees, { baseFee, priorityFee }: FeeCeilings): Fees | null {
  const maxPriorityFeePerGas = larger(raised(last.maxPriorityFeePerGas), current.maxPriorityFeePerGas)
  const maxFeePerGas = larger(larger(raised(last.maxFeePerGas), current.maxFeePerGas), maxPriorityFeePerGas)
  const fits = maxPriorityFeePerGas <= priorityFee && maxFeePerGas <= baseFee * 2n + priorityFee
  return fits ? { maxFeePerGas, maxPriorityFeePerGas } : null
}
