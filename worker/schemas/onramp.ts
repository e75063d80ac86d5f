import { z } from 'zod'
import { parseUsdc, zeroUsdc } from '#domain/money.ts'
import { onrampProblem } from '#domain/onrampRules.ts'
import { address, readBy } from './common.ts'

/** POST /onramp/session. `destinationAddress` is one of the caller's wallets on Base. */
export const CreateOnrampSession = z.object({
  destinationAddress: address,
  blockchains: z.tuple([z.literal('base')], { error: 'Funds can be added on Base only' }),
  assets: z.tuple([z.literal('USDC')], { error: 'Only USDC can be added' }),
  /** US dollars as a decimal string, at most two decimals. */
  presetFiatAmount: readBy((text) => {
    const value = parseUsdc(text) ?? zeroUsdc
    const problem = onrampProblem(value)
    return problem === null ? { value } : { problem }
  }, 'Please enter a valid amount'),
  redirectUrl: z.url('redirectUrl must be a URL').max(500),
})
export type OnrampSession = { onrampUrl: string }
