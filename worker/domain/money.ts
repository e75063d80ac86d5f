declare const brand: unique symbol

/** Whole micro-USDC (1 USDC = 1_000_000), never negative. Decimals as in the USDC contract (6). */
export type MicroUsdc = bigint & { readonly [brand]: 'MicroUsdc' }

/** Largest amount of one payment that our columns and the contracts' uint64 hold exactly: 1 billion USDC. */
export const maxAmount = 1_000_000_000_000_000n as MicroUsdc

export const zeroUsdc = 0n as MicroUsdc

/** Throws RangeError below zero. */
export function microUsdc(value: bigint): MicroUsdc {
  if (value < 0n) throw new RangeError(`negative amount: ${value}`)
  return value as MicroUsdc
}

export const plus = (a: MicroUsdc, b: MicroUsdc): MicroUsdc => (a + b) as MicroUsdc

/** a − b, never below zero: for figures that are shown, not for ledgers. */
export const minusOrZero = (a: bigint, b: bigint): MicroUsdc => (a > b ? a - b : 0n) as MicroUsdc

export const smaller = (a: MicroUsdc, b: MicroUsdc): MicroUsdc => (a < b ? a : b)

/** '12.5' → 12_500_000n. Null if the text is not plain ASCII digits with at most six decimals. */
export function parseUsdc(text: string): MicroUsdc | null {
  const match = /^([0-9]{1,12})(?:\.([0-9]{1,6}))?$/.exec(text)
  if (!match) return null
  return microUsdc(BigInt(match[1]!) * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0')))
}

/** 12_500_000n → '12.5'; exact, no trailing zeros. The form amounts have on the wire. */
export function formatUsdc(amount: bigint): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -6)}${fraction ? `.${fraction}` : ''}`
}

/** For sentences: `8.50`, two to six decimals. */
export function writtenUsdc(amount: bigint): string {
  const [whole, fraction = ''] = formatUsdc(amount).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
