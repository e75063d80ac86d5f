import { microUsdc } from './money.ts'
import { readAmount } from './readers/amount.ts'

/** Amounts for buying USDC by card: US dollars with at most two decimals. */

export const onrampPresets = ['50', '100', '250', '500'] as const
export const popularPreset = '100'
export const onrampDecimals = 2
const minAmount = microUsdc(1_000_000n)

const notValid = 'Please enter a valid amount'

/** Null if the amount as typed is valid. Checked in this order: a positive number, at least the minimum. */
export function onrampAmountProblem(text: string): string | null {
  const read = readAmount(text, onrampDecimals, notValid)
  return 'problem' in read ? read.problem : onrampProblem(read.value)
}

export function onrampProblem(amount: bigint): string | null {
  if (amount === 0n || amount % 10_000n !== 0n) return notValid
  return amount < minAmount ? 'Minimum amount is $1.00' : null
}
