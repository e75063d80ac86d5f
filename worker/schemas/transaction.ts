import { z } from 'zod'
import { address, memo, usdcAmount } from './common.ts'

export type TransactionStatus =
  | 'QUEUED'
  | 'PENDING'
  | 'PROCESSING'
  | 'CONFIRMED'
  | 'FAILED'
  | 'POLICY_REJECTED'
  | 'VALIDATION_FAILED'
  | 'CANCELLED'
  | 'EXPIRED'
export type TransactionCategory = 'contact' | 'address' | 'escrow' | 'escrow_withdraw' | 'escrow_reclaim'

/** An item of GET /transactions/user and GET /transactions/{id}. */
export type Transaction = {
  id: string
  category: TransactionCategory
  status: TransactionStatus
  /** Decimal USDC. */
  amountUsdc: string
  createdAt: string
  agentId: string | null
  agent: { name: string } | null
  contactId: string | null
  contact: { name: string } | null
  toAddress: string | null
  fromWalletId: string | null
  fromWallet: { name: string | null; address: string } | null
  fromWalletChain: 'base' | 'base-sepolia'
  txHash: string | null
  memo: string | null
  /** Plain sentence for failures and refusals. */
  errorMessage: string | null
  recipientEmail: string | null
  recipientPhone: string | null
  escrowId: string | null
  policyGroupId: string | null
  /** ISO 8601; steps reached so far. */
  timeline: { decidedAt: string; signedAt: string | null; broadcastAt: string | null; confirmedAt: string | null }
}

export const SendTransaction = z.object({
  walletId: z.string({ error: 'Please select a wallet' }).min(1, 'Please select a wallet').max(64),
  toAddress: address,
  amount: usdcAmount,
  memo,
})
/** txHash is there only when the relayer answered within 300 ms. */
export type SendReply = { id: string; status: string; txHash?: string }

export const PageQuery = z.object({
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(25),
})

/** GET /overview (an addition): the sums the first screen shares. Decimal USDC. */
export type Overview = {
  /** Null when one wallet's balance can't be read. */
  totalBalance: string | null
  walletCount: number
  groupCount: number
  agentCount: number
  transactionCount: number
  totalSpent: string
  held: string
  pendingPayouts: { count: number; amount: string }
}
