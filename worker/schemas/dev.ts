import { z } from 'zod'
import { address, usdcAmount } from './common.ts'

/** POST /dev/faucet (local stacks only) */
export const Faucet = z.object({
  address,
  amount: usdcAmount,
  chain: z.enum(['base', 'base-sepolia'], { error: 'Chain must be base or base-sepolia' }).default('base'),
})
/** GET and POST /dev/onramp (local stacks only): the page that stands in for a seller of USDC. */
export const LocalOnramp = z.object({ address, amount: usdcAmount, redirectUrl: z.url() })
export type FaucetReply = { txHash: string }
