import { base64url, importJWK, SignJWT } from 'jose'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { Onramp } from './onramp.ts'

const apiOrigin = 'https://api.cdp.coinbase.com'
const path = '/platform/v2/onramp/sessions'
const timeoutMs = 5_000 // 5 seconds
const tokenSeconds = 120 // 2 minutes

type Config = {
  /** Of a Secret API Key of Coinbase's developer platform: its id, and its Ed25519 secret as base64 of seed and public key. */
  keyId: string
  secret: string
  /** Another server than Coinbase's. */
  endpoint?: string | undefined
  now: () => number
}

const Answer = z.object({ session: z.object({ onrampUrl: z.url({ protocol: /^https$/ }) }) })

/** Coinbase Onramp: POST /platform/v2/onramp/sessions answers a page that can be used once, within minutes. */
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
        throw new Error(`Coinbase answered ${response.status}: ${(await response.text()).slice(0, 500)}`)
      return Answer.parse(await response.json()).session.onrampUrl
    } catch (cause) {
      throw new AppError('upstream_unavailable', 'Failed to create onramp session', { cause })
    }
  },
})

/** A token for this one call, as Coinbase's "JWT authentication" page describes it. */
async function bearer({ keyId, secret, now }: Config, url: URL): Promise<string> {
  const bytes = Uint8Array.from(atob(secret), (character) => character.charCodeAt(0))
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
