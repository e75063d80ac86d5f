import { api } from '../lib/api.ts'

/**
 * Creates a session with the on-ramp, whose page sends the USDC to `destinationAddress` on Base and then returns to the
 * dashboard. `presetFiatAmount` is in US dollars.
 */
export const createOnrampSession = (destinationAddress: string, presetFiatAmount: string) =>
  api('POST /onramp/session', {
    body: {
      destinationAddress,
      blockchains: ['base'],
      assets: ['USDC'],
      presetFiatAmount,
      redirectUrl: `${location.origin}/dashboard?onramp=success`,
    },
  })
