import type { Env } from '../env.ts'
import type { Onramp } from './onramp.ts'

/** The page at /dev/onramp, which mints stand-in USDC instead of selling it. */
export const localOnramp = (env: Pick<Env, 'APP_ORIGIN'>): Onramp => ({
  async createSession({ destinationAddress, amount, redirectUrl }) {
    const query = new URLSearchParams({ address: destinationAddress, amount, redirectUrl })
    return `${env.APP_ORIGIN}/dev/onramp?${query}`
  },
})
