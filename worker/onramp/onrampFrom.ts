import type { Env } from '../env.ts'
import { coinbaseOnramp } from './coinbase.ts'
import { localOnramp } from './local.ts'
import type { Onramp } from './onramp.ts'

/** Our own page on local stacks, otherwise Coinbase if its key is configured, otherwise null. */
export function onrampFrom(env: Env, now: () => number): Onramp | null {
  if (env.ENVIRONMENT === 'local') return localOnramp(env)
  const { COINBASE_ONRAMP_KEY_ID: keyId, COINBASE_ONRAMP_KEY_SECRET: secret } = env
  if (!keyId || !secret) return null
  return coinbaseOnramp({ keyId, secret, endpoint: env.COINBASE_ONRAMP_ENDPOINT, now })
}
