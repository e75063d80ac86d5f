import { plainAmount } from './amountText.ts'
import { microUsdc, parseUsdc } from './money.ts'

/** Amounts for buying USDC by card: US dollars with at most two decimals. */

export const onrampPresets = ['50', '100', '250', '500'] as const
export const popularPreset = '100'
export const onrampDecimals = 2
const minAmount = microUsdc(1_000_000n)

/** Null if the amount is valid. Checked in this order: a positive number, at least the minimum. */
export function onrampAmountProblem(text: string): string | null {
  const plain = plainAmount(text)
  const amount = parseUsdc(plain)
  if (amount === null || amount === 0n || (plain.split('.')[1] ?? '').length > onrampDecimals)
    return 'Please enter a valid amount'
  return amount < minAmount ? 'Minimum amount is $1.00' : null
}
