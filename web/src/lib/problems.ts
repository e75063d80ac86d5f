import { parseUsdc } from '../../../worker/domain/money.ts'

/** '25.' and '.5' are fine to type: '25' and '0.5'. */
export const plainAmount = (text: string) => text.trim().replace(/\.$/, '').replace(/^\./, '0.')

/** Part 2 section 5, Send: empty, zero, more than there is. `available` null = not known here, the server decides. */
export function amountProblem(text: string, available: string | null): string | null {
  if (!text.trim()) return 'Please enter an amount'
  const amount = parseUsdc(plainAmount(text))
  if (amount === null || amount === 0n) return 'Amount must be greater than 0'
  if (available !== null && amount > (parseUsdc(available) ?? 0n)) return 'Insufficient balance'
  return null
}
