import type { OnrampSession } from '../../../worker/schemas/onramp.ts'
import { api } from '../lib/api.ts'

/** A page that sells USDC on Base to `destinationAddress`; `presetFiatAmount` in dollars. It leads back to the dashboard. */
export const createOnrampSession = (destinationAddress: string, presetFiatAmount: string) =>
  api.post<OnrampSession>('/onramp/session', {
    destinationAddress,
    blockchains: ['base'],
    assets: ['USDC'],
    presetFiatAmount,
    redirectUrl: `${location.origin}/dashboard?onramp=success`,
  })
