import { plainAmount } from './amountText.ts'
import { microUsdc, parseUsdc } from './money.ts'

/** Buying USDC by card: part 2 section 5, On-ramp amount. US dollars, which have two decimals. */

export const onrampPresets = ['50', '100', '250', '500'] as const
export const popularPreset = '100'
export const onrampDecimals = 2
const leastDollars = microUsdc(1_000_000n)

/** In this order: not a positive number, below the minimum. */
export function onrampAmountProblem(text: string): string | null {
  const plain = plainAmount(text)
  const amount = parseUsdc(plain)
  if (amount === null || amount === 0n || (plain.split('.')[1] ?? '').length > onrampDecimals)
    return 'Please enter a valid amount'
  return amount < leastDollars ? 'Minimum amount is $1.00' : null
}
