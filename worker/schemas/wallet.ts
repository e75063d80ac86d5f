import { z } from 'zod'
import { address } from './common.ts'

export type WalletStatus = 'deploying' | 'active' | 'failed'
/** An item of GET /wallets. Amounts are decimal USDC unless said. */
export type Wallet = {
  id: string
  name: string | null
  address: string
  chain: 'base' | 'base-sepolia'
  walletType: 'smart' | 'imported'
  status: WalletStatus
  /** Null when the balance can't be read now ("Unavailable"). */
  usdcBalance: { balance: string; symbol: 'USDC' } | null
  policyGroupId: string | null
  ownerAddress: string
  /** What anyone needs to recompute the address from the factory. Limits are micro-USDC, validUntil unix seconds. */
  factory: string
  salt: string
  sessionKeyAddress: string
  spendingLimit: string
  validUntil: number
  deploymentTxHash: string | null
  /** Ledger figures: accepted but not yet final, and money in unclaimed payouts. */
  held: string
  escrowed: string
  createdAt: string
}
export type DeployReply = {
  id: string
  walletAddress: string
  sessionKeyAddress: string
  deploymentTxHash: string | null
}
/** Amounts are micro-USDC strings, validUntil unix seconds, nonce = the session's epoch. */
export type SessionKeyInfo = {
  address: string
  spendingLimit: string
  spentAmount: string
  heldAmount: string
  validUntil: number
  isExpired: boolean
  isActive: boolean
  canRotate: boolean
  nonce: number
}

export const DeployWallet = z.object({
  ownerAddress: address,
  chainId: z.literal(8453, { error: 'Smart wallets can be deployed on Base (8453) only' }),
  name: z.string().trim().max(60, 'Name must be at most 60 characters').optional(),
})
