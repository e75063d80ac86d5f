import { base64url, importJWK, SignJWT } from 'jose'
import { z } from 'zod'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'

export type OnrampOrder = {
  destinationAddress: string
  /** US dollars, for example '50.00'. */
  amount: string
  /** Where the buyer is sent afterwards. */
  redirectUrl: string
  /** The buyer's network address, or null if unknown. */
  clientIp: string | null
}

/** A seller of USDC for card payments. */
export interface Onramp {
  /** Returns the URL of the seller's checkout page. Throws AppError if there is none. */
  createSession(order: OnrampOrder): Promise<string>
}

const apiOrigin = 'https://api.cdp.coinbase.com'
const path = '/platform/v2/onramp/sessions'
const timeoutMs = 5_000 // 5 seconds
const tokenSeconds = 120 // 2 minutes

type Config = {
  /** Id of a Secret API Key of the Coinbase Developer Platform. */
  keyId: string
  /** Its Ed25519 secret: base64 of seed and public key, 64 bytes. */
  secret: string
  /** Overrides Coinbase's server. */
  endpoint?: string | undefined
  now: () => number
}

const SessionResponse = z.object({ session: z.object({ onrampUrl: z.url({ protocol: /^https$/ }) }) })

/** Coinbase Onramp. The URL of a session can be used once, within a few minutes. */
export const coinbaseOnramp = (config: Config): Onramp => ({
  async createSession({ destinationAddress, amount, redirectUrl, clientIp }) {
    const url = new URL(path, config.endpoint ?? apiOrigin)
    const body = {
      destinationAddress,
      destinationNetwork: 'base',
      purchaseCurrency: 'USDC',
      paymentAmount: amount,
      paymentCurrency: 'USD',
      redirectUrl,
      ...(clientIp === null ? {} : { clientIp }),
    }
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${await bearer(config, url)}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (!response.ok)
        throw new Error(`Coinbase returned ${response.status}: ${(await response.text()).slice(0, 500)}`)
      return SessionResponse.parse(await response.json()).session.onrampUrl
    } catch (cause) {
      throw new AppError('upstream_unavailable', 'Failed to create onramp session', { cause })
    }
  },
})

/** A token for this call, as described in Coinbase's "JWT authentication". */
async function bearer({ keyId, secret, now }: Config, url: URL): Promise<string> {
  const bytes = Buffer.from(secret, 'base64')
  if (bytes.length !== 64) throw new Error('COINBASE_ONRAMP_KEY_SECRET must be base64 of 64 bytes (Ed25519)')
  const part = (from: number, to: number) => base64url.encode(bytes.subarray(from, to))
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', d: part(0, 32), x: part(32, 64) }, 'EdDSA')
  const issuedAt = Math.floor(now() / 1000)
  const nonce = crypto.randomUUID().replaceAll('-', '')
  return new SignJWT({ uris: [`POST ${url.host}${url.pathname}`] })
    .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: 'JWT', nonce })
    .setIssuer('cdp')
    .setSubject(keyId)
    .setAudience(['cdp_service'])
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt)
    .setExpirationTime(issuedAt + tokenSeconds)
    .sign(key)
}

/** The page at /dev/onramp, which mints stand-in USDC instead of selling it. */
export const localOnramp = (env: Pick<Env, 'APP_ORIGIN'>): Onramp => ({
  async createSession({ destinationAddress, amount, redirectUrl }) {
    const query = new URLSearchParams({ address: destinationAddress, amount, redirectUrl })
    return `${env.APP_ORIGIN}/dev/onramp?${query}`
  },
})

/** Our own page on local stacks, otherwise Coinbase if its key is configured, otherwise null. */
export function onrampFrom(env: Env, now: () => number): Onramp | null {
  if (env.ENVIRONMENT === 'local') return localOnramp(env)
  const { COINBASE_ONRAMP_KEY_ID: keyId, COINBASE_ONRAMP_KEY_SECRET: secret } = env
  if (!keyId || !secret) return null
  return coinbaseOnramp({ keyId, secret, endpoint: env.COINBASE_ONRAMP_ENDPOINT, now })
}
