import type { TransactionCategory } from './lists.ts'
import { parseUsdc } from './money.ts'

/**
 * What a row of the transaction list did to its wallet's balance, in micro-USDC: negative if money left. Zero for a payment
 * that is not on chain, and for a payout's withdrawal, whose money left with the funding. The rows of a wallet add up to its
 * balance.
 */
export function balanceChange(row: {
  category: TransactionCategory
  amountUsdc: string
  timeline: { confirmedAt: string | null }
}): bigint {
  if (row.timeline.confirmedAt === null) return 0n
  const amount: bigint = parseUsdc(row.amountUsdc)!
  switch (row.category) {
    case 'contact':
    case 'address':
    case 'x402':
    case 'escrow':
    case 'withdrawal':
      return -amount
    case 'escrow_reclaim':
    case 'deposit':
      return amount
    case 'escrow_withdraw':
      return 0n
  }
}
