import { plainAmount } from '#domain/amountText.ts'
import { formatUsdc, type MicroUsdc, parseUsdc, zeroUsdc } from '#domain/money.ts'
import { formatAmount } from './format.ts'

/** An amount of the API (decimal USDC) in micro-USDC; zero for text that is not an amount. */
export const microOf = (amount: string): MicroUsdc => parseUsdc(amount) ?? zeroUsdc

/** An amount as typed ('25.', '.5') in micro-USDC; null while it is not an amount. */
export const typedMicro = (text: string): MicroUsdc | null => parseUsdc(plainAmount(text))

/** A typed amount that passed validation, in the API's format: '025.' → '25'. */
export const typedDecimal = (text: string): string => formatUsdc(typedMicro(text) ?? 0n)

/** Micro-USDC as '$1,234.50'. */
export const dollars = (amount: bigint): string => `$${formatAmount(formatUsdc(amount))}`
