import { z } from 'zod'
import { type ChainName, chainNames } from '#domain/networks.ts'
import { allowanceProblem, firstLimit } from '#domain/sessionKey.ts'
import type { HaltKind } from '#domain/walletHalt.ts'
import { masterPasswordLength, walletName as nameRule, privateKeyOf, privateKeyProblem } from '#domain/walletRules.ts'
import { address, checkedBy, ownerPassword, shownText } from './common.ts'
import { purchaseAllowance } from './sessionKey.ts'

export type WalletStatus = 'deploying' | 'active' | 'failed'
/** An item of GET /wallets. Amounts are decimal USDC unless noted. */
export type Wallet = {
  id: string
  name: string | null
  address: string
  chain: ChainName
  walletType: 'smart' | 'imported'
  status: WalletStatus
  /** Nothing can leave a wallet that is `paused` by the owner or `halted` by us. */
  paused: boolean
  halted: HaltKind | null
  /** Null if the balance cannot be read now ("Unavailable"). */
  usdcBalance: { balance: string; symbol: 'USDC' } | null
  policyGroupId: string | null
  ownerAddress: string
  /** The parameters from which anyone can recompute the address. `spendingLimit` is micro-USDC, `validUntil` unix seconds. */
  factory: string
  /** The contract set that it was created with (`contractSets` of GET /config). Null for imported wallets. */
  contractSet: number | null
  salt: string
  sessionKeyAddress: string
  spendingLimit: string
  /** Whole USDC of that limit, for purchases. */
  purchaseAllowance: number
  validUntil: number
  deploymentTxHash: string | null
  /** Why it is not on chain yet, as reported by the Relayer. Null if unknown or if the wallet is active. */
  deployProblem: string | null
  /** Accepted but not yet final, and money in unclaimed payouts. */
  held: string
  escrowed: string
  /** See domain/exposure.ts. Null if the balance is null. `canLeave` is the most that can leave now without the owner. */
  exposure: { canLeave: string; canSend: string; agents: string; canRenew: boolean } | null
  /** See domain/exposure.ts: what the owner may pay now, and what is arriving. Null if the balance is null. */
  spendable: { now: string; limitedBy: 'balance' | 'session'; arriving: string } | null
  createdAt: string
}
export type DeployReply = {
  id: string
  walletAddress: string
  sessionKeyAddress: string
  deploymentTxHash: string | null
}

/** DELETE /wallets/{id}: the user's password, for a wallet whose key was imported. */
export const DeleteWallet = z.object({ password: ownerPassword })

/** GET /wallets/{id}/ledger: a wallet's ledger next to its balance on chain, for checking the books. Decimal USDC. */
export type WalletLedger = {
  walletId: string
  address: `0x${string}`
  deposits: string
  returns: string
  out: string
  withdrawn: string
  held: string
  available: string
  escrowed: string
  spent: string
  /** At the latest block; null if it cannot be read. */
  chainBalance: string | null
  scannedBlock: number
}

const walletName = shownText(nameRule)
const masterPassword = z
  .string({ error: 'Master password is required' })
  .min(1, 'Master password is required')
  .max(masterPasswordLength, `Master password must be at most ${masterPasswordLength} characters`)

export const DeployWallet = z.object({
  ownerAddress: address,
  /** Must be the primary chain of the deployment (`PublicConfig`). */
  chainId: z.int({ error: 'Chain id must be a whole number' }),
  name: walletName.optional(),
  /** Of the first session, whose limit is `firstLimit`. 0 if it is left out. */
  purchaseAllowance: purchaseAllowance
    .superRefine(checkedBy((allowance) => allowanceProblem(allowance, firstLimit)))
    .optional(),
})

/** A blank name removes the custom name. */
export const RenameWallet = z.object({ name: z.preprocess((name) => name ?? '', walletName) })

export const ImportWallet = z.object({
  name: walletName.nullish(),
  address,
  chain: z.enum(chainNames, { error: 'Chain must be base or base-sepolia' }),
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
