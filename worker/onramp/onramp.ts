import type { Env } from '../env.ts'
import { coinbaseOnramp } from './coinbase.ts'
import { localOnramp } from './local.ts'

export type OnrampOrder = {
  destinationAddress: string
  /** US dollars, for example '50.00'. */
  amount: string
  /** Where the buyer returns to. */
  redirectUrl: string
  /** The buyer's network address, null when it is not known. */
  clientIp: string | null
}

/** Who sells USDC for a card. `createSession` answers the page that sells it; throws AppError when there is none. */
export type Onramp = { createSession(order: OnrampOrder): Promise<string> }

/** Locally our own page; elsewhere Coinbase's, where its key is configured. Null = nobody sells here. */
export function onrampFrom(env: Env, now: () => number): Onramp | null {
  if (env.ENVIRONMENT === 'local') return localOnramp(env)
  const { COINBASE_ONRAMP_KEY_ID: keyId, COINBASE_ONRAMP_KEY_SECRET: secret } = env
  if (!keyId || !secret) return null
  return coinbaseOnramp({ keyId, secret, endpoint: env.COINBASE_ONRAMP_ENDPOINT, now })
}
