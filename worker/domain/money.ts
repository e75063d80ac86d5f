declare const brand: unique symbol

/** Whole micro-USDC (1 USDC = 1_000_000), never negative. Decimals as in the USDC contract (6). */
export type MicroUsdc = bigint & { readonly [brand]: 'MicroUsdc' }

/** The largest amount of one payment, 1 billion USDC. Columns and the contracts' uint64 represent it exactly. */
export const maxAmount = 1_000_000_000_000_000n as MicroUsdc

export const zeroUsdc = 0n as MicroUsdc

/** A setting in USDC, to the nearest micro-USDC. Throws RangeError below zero. */
export const usdcSetting = (usdc: number): MicroUsdc => microUsdc(BigInt(Math.round(usdc * 1_000_000)))

/** Throws RangeError below zero. */
export function microUsdc(value: bigint): MicroUsdc {
  if (value < 0n) throw new RangeError(`negative amount: ${value}`)
  return value as MicroUsdc
}

/** a − b, or zero if that would be negative. For displayed figures and limits, not for ledgers. */
export const saturatingSub = (a: bigint, b: bigint): MicroUsdc => (a > b ? a - b : 0n) as MicroUsdc

export const min = (a: MicroUsdc, b: MicroUsdc): MicroUsdc => (a < b ? a : b)

/** '12.5' → 12_500_000n. Null unless the text is plain ASCII digits with at most six decimals. */
export function parseUsdc(text: string): MicroUsdc | null {
  const match = /^([0-9]{1,12})(?:\.([0-9]{1,6}))?$/.exec(text)
  if (!match) return null
  return microUsdc(BigInt(match[1]!) * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0')))
}

/** 12_500_000n → '12.5': exact, without trailing zeros. The form of amounts on the wire. */
export function formatUsdc(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -6)}${fraction ? `.${fraction}` : ''}`
}

/** 8_500_000n → '8.50': two to six decimals, for sentences. */
export function formatUsdcText(amount: bigint): string {
  const [whole, fraction = ''] = formatUsdc(amount).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
