import { z } from 'zod'
import { masterPasswordLength, privateKeyOf, privateKeyProblem, walletNameProblem } from '../domain/walletRules.ts'
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
  /** Nothing leaves it: `paused` by the owner; `halted` by us, while the account has code, or until people looked. */
  paused: boolean
  halted: 'code' | 'books' | null
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
  /** domain/exposure.ts; null with the balance. `canLeave`: at most this can leave now without the owner. */
  exposure: { canLeave: string; agents: string; canRenew: boolean } | null
  createdAt: string
}
export type DeployReply = {
  id: string
  walletAddress: string
  sessionKeyAddress: string
  deploymentTxHash: string | null
}

const walletName = z
  .string({ error: 'Name must be text' })
  .trim()
  .superRefine((name, ctx) => {
    const problem = walletNameProblem(name)
    if (problem !== null) ctx.addIssue({ code: 'custom', message: problem })
  })
const masterPassword = z
  .string({ error: 'Master password is required' })
  .min(1, 'Master password is required')
  .max(masterPasswordLength, `Master password must be at most ${masterPasswordLength} characters`)

export const DeployWallet = z.object({
  ownerAddress: address,
  chainId: z.literal(8453, { error: 'Smart wallets can be deployed on Base (8453) only' }),
  name: walletName.optional(),
})

/** A blank name clears it. */
export const RenameWallet = z.object({ name: z.preprocess((name) => name ?? '', walletName) })

export const ImportWallet = z.object({
  name: walletName.nullish(),
  address,
  chain: z.enum(['base', 'base-sepolia'], { error: 'Chain must be base or base-sepolia' }),
  policyGroupId: z.string().max(64).nullish(),
  privateKey: z.string({ error: 'Private key is required' }).transform((text, ctx) => {
    const problem = privateKeyProblem(text)
    if (problem === null) return privateKeyOf(text)
    ctx.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  }),
  masterPassword,
})
export const ViewPrivateKey = z.object({ masterPassword })
