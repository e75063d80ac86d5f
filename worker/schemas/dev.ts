import { z } from 'zod'
import { address, usdcAmount } from './common.ts'

/** POST /dev/faucet (local stacks only) */
export const Faucet = z.object({
  address,
  amount: usdcAmount,
  chain: z.enum(['base', 'base-sepolia'], { error: 'Chain must be base or base-sepolia' }).default('base'),
})
export type FaucetReply = { txHash: string }
