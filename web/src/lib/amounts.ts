import { formatUsdc, type MicroUsdc, parseUsdc, zeroUsdc } from '#domain/money.ts'
import { amountForField, readAmount } from '#domain/readers/amount.ts'
import { valueIn } from '#domain/readers/read.ts'
import { formatAmount } from './format.ts'

/** An amount of the API (decimal USDC) in micro-USDC; zero for text that is not an amount. */
export const microOf = (amount: string): MicroUsdc => parseUsdc(amount) ?? zeroUsdc

/** An amount as typed ('25.', '1.234,50') in micro-USDC; null while it is not one amount. */
export const typedMicro = (text: string, decimals?: number): MicroUsdc | null => valueIn(readAmount(text, decimals))

/** Why a typed amount is refused, or null: `otherwise` if it is missing or no amount, or 0 unless that is allowed. */
export function typedProblem(text: string, otherwise: string, { decimals = 6, zero = false } = {}): string | null {
  const read = readAmount(text, decimals, otherwise)
  if ('problem' in read) return read.problem
  return zero || read.value > 0n ? null : otherwise
}

/** An amount of the API, or none, as the text of a field. */
export const fieldText = (amount: string | null | undefined): string =>
  amount === null || amount === undefined || amount === '' ? '' : amountForField(microOf(amount))

/** A typed amount that passed validation, in the API's format: '025.' → '25'. Throws RangeError for another text. */
export function typedDecimal(text: string): string {
  const amount = typedMicro(text)
  if (amount === null) throw new RangeError(`not an amount: ${text}`)
  return formatUsdc(amount)
}

/** Micro-USDC as '$1,234.50'. */
export const dollars = (amount: bigint): string => `$${formatAmount(formatUsdc(amount))}`
