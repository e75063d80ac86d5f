import { formatUsdc, type MicroUsdc } from '#domain/money.ts'

/** A column of micro-USDC as money. */
export const fromColumn = (column: number): MicroUsdc => BigInt(column) as MicroUsdc

/** A column of micro-USDC as decimal text. */
export const formatColumn = (column: number): string => formatUsdc(fromColumn(column))

/** Money as a column. Throws RangeError if SQLite's number would lose a digit. */
export function toColumn(amount: bigint): number {
  const value = Number(amount)
  if (!Number.isSafeInteger(value)) throw new RangeError(`amount ${amount}`)
  return value
}
