import { formatUsdc } from '#domain/money.ts'
import { formatAmount, formatMoment } from '../lib/format.ts'

/** Micro-USDC as '1,234.50 USDC'. */
export const usdcText = (micro: bigint): string => `${formatAmount(formatUsdc(micro))} USDC`

/** Wei as '0.5 ETH'. */
export function etherText(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18).replace(/0+$/, '').padEnd(1, '0')} ETH`
}

/** Unix seconds as a local time with its zone. */
export const momentText = (seconds: number): string => formatMoment(seconds * 1000)
