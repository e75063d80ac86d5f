import { z } from 'zod'
import { chainNames } from '#domain/networks.ts'
import { address, usdcAmount } from './common.ts'

/** POST /dev/faucet (local stacks only) */
export const Faucet = z.object({
  address,
  amount: usdcAmount,
  chain: z.enum(chainNames, { error: 'Chain must be base or base-sepolia' }).default('base'),
})
/** GET and POST /dev/onramp (local stacks only): the page that replaces a seller's checkout. */
export const LocalOnramp = z.object({ address, amount: usdcAmount, redirectUrl: z.url() })
export type FaucetReply = { txHash: string }
