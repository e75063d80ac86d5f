import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Env } from '../../worker/env.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { serveUrl } from '../support/serveUrl.ts'
import { createApi, env } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api, { funds: 0n })
afterEach(() => void vi.restoreAllMocks())

const back = `${env.APP_ORIGIN}/dashboard?onramp=success`
const order = (changes: object = {}) => ({
  destinationAddress: own.walletAddress,
  blockchains: ['base'],
  assets: ['USDC'],
  presetFiatAmount: '50',
  redirectUrl: back,
  ...changes,
})
const ask = (body: object, changes: Partial<Env> = {}) =>
  api.call('POST', '/api/onramp/session', { token: own.token, body, env: changes, from: '198.51.100.7' })

const base64 = (...parts: Uint8Array[]) => btoa(parts.map((part) => String.fromCharCode(...part)).join(''))

/** A key in the format that Coinbase issues, and its public key. */
async function createKey() {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const { d, x } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as { d: string; x: string }
  const decode = (text: string) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
  const jwk: JWK = { kty: 'OKP', crv: 'Ed25519', x }
  return { secret: base64(decode(d), decode(x)), verifying: await importJWK(jwk, 'EdDSA') }
}

/** Stands in for Coinbase's server and records each call. */
function coinbase(answer: () => Response | Promise<Response>) {
  const requests: { url: string; token: string; body: unknown }[] = []
  serveUrl('https://api.cdp.coinbase.com/', async (request) => {
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
    requests.push({ url: request.url, token, body: await request.json() })
    return answer()
  })
  return requests
}
const session = (onrampUrl: string) => Response.json({ session: { onrampUrl } }, { status: 201 })

describe('Coinbase @onramp-1', () => {
  test('Coinbase is called with a token that is valid for this call only', async () => {
    const { secret, verifying } = await createKey()
    const requests = coinbase(() => session('https://pay.coinbase.com/buy?sessionToken=abc'))
    const changes = { COINBASE_ONRAMP_KEY_ID: 'key-1', COINBASE_ONRAMP_KEY_SECRET: secret }
    const answer = await ask(order({ presetFiatAmount: '50.5' }), changes)
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json.data).toEqual({ onrampUrl: 'https://pay.coinbase.com/buy?sessionToken=abc' })
    const { url, token, body } = requests[0]!
    expect(url).toBe('https://api.cdp.coinbase.com/platform/v2/onramp/sessions')
    expect(body).toEqual({
      destinationAddress: own.walletAddress,
      destinationNetwork: 'base',
      purchaseCurrency: 'USDC',
      paymentAmount: '50.50',
      paymentCurrency: 'USD',
      redirectUrl: back,
      clientIp: '198.51.100.7',
    })
    const { payload } = await jwtVerify(token, verifying, {
      issuer: 'cdp',
      audience: 'cdp_service',
      subject: 'key-1',
      currentDate: new Date(api.clock.now),
    })
    expect(payload.uris).toEqual(['POST api.cdp.coinbase.com/platform/v2/onramp/sessions'])
    expect(payload.exp! - payload.nbf!).toBe(120)
    expect(decodeProtectedHeader(token)).toMatchObject({
      alg: 'EdDSA',
      typ: 'JWT',
      kid: 'key-1',
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect((await api.call('GET', '/api/config', { env: changes })).json.data.onramp).toBe(true)
  })

  test.each<[string, () => Response | Promise<Response>]>([
    ['refuses', () => Response.json({ errorType: 'unauthorized' }, { status: 401 })],
    ['does not respond', () => Promise.reject(new TypeError('network'))],
    ['returns no page', () => Response.json({ session: {} })],
    ['returns a page that is not https', () => session('javascript:alert(1)')],
    ['returns no JSON', () => new Response('<html>')],
  ])('if Coinbase %s, the error does not reveal its response @onramp-2', async (_, answer) => {
    const { secret } = await createKey()
    coinbase(answer)
    vi.spyOn(console, 'error').mockReturnValue()
    expect(await ask(order(), { COINBASE_ONRAMP_KEY_ID: 'k', COINBASE_ONRAMP_KEY_SECRET: secret })).toMatchObject({
      status: 502,
      json: { error: 'Failed to create onramp session', code: 'upstream_unavailable' },
    })
  })

  test('with an invalid Coinbase key, no request is made', async () => {
    const requests = coinbase(() => session('https://pay.coinbase.com/'))
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    expect(
      (await ask(order(), { COINBASE_ONRAMP_KEY_ID: 'k', COINBASE_ONRAMP_KEY_SECRET: btoa('short') })).status,
    ).toBe(502)
    expect(requests).toEqual([])
    expect(String(logged.mock.calls[0]?.[0])).toContain('COINBASE_ONRAMP_KEY_SECRET must be')
  })

  test('without a Coinbase key there is no on-ramp, and /config says so', async () => {
    expect(await ask(order())).toMatchObject({ status: 503, json: { code: 'unavailable' } })
    expect((await api.call('GET', '/api/config')).json.data.onramp).toBe(false)
  })
})

const local = { ENVIRONMENT: 'local' } as const

test.each<[object, string, string]>([
  [{ presetFiatAmount: '0' }, 'presetFiatAmount', 'Please enter a valid amount'],
  [{ presetFiatAmount: '1.005' }, 'presetFiatAmount', 'Please enter a valid amount'],
  [{ presetFiatAmount: '$50' }, 'presetFiatAmount', 'Please enter a valid amount'],
  [{ presetFiatAmount: 50 }, 'presetFiatAmount', 'Please enter a valid amount'],
  [{ presetFiatAmount: '0.99' }, 'presetFiatAmount', 'Minimum amount is $1.00'],
  [{ destinationAddress: '0x12' }, 'destinationAddress', 'Wallet address must be 42'],
  [{ blockchains: ['ethereum'] }, 'blockchains.0', ''],
  [{ assets: ['ETH'] }, 'assets.0', ''],
  [{ redirectUrl: 'https://evil.example/dashboard' }, 'redirectUrl', 'The return URL must be a page of this app.'],
  [{ redirectUrl: 'nowhere' }, 'redirectUrl', 'redirectUrl must be a URL'],
])('an order with %j is refused @onramp-3', async (changes, field, text) => {
  const { status, json } = await ask(order(changes), local)
  expect([status, json.field]).toEqual([400, field])
  expect(json.error).toContain(text)
})

test('an order for an address that is not the user’s wallet is refused @onramp-4', async () => {
  expect(await ask(order({ destinationAddress: fresh('stranger') }), local)).toMatchObject({ status: 404 })
})

test('on-ramp sessions are limited to thirty an hour @onramp-5', async () => {
  const other = createApi()
  const { token, walletAddress } = await createAccountFixture(other, { funds: 0n })
  const body = order({ destinationAddress: walletAddress })
  const statuses: number[] = []
  const once = async () =>
    statuses.push((await other.call('POST', '/api/onramp/session', { token, body, env: local })).status)
  for (let i = 0; i < 31; i++) await once()
  expect(statuses).toEqual([...Array(30).fill(201), 429])
})

describe('the local page @onramp-6', () => {
  const form = (path: string, fields: Record<string, string>, changes: Partial<Env> = local) =>
    api.call('POST', path, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      env: changes,
    })

  test('the local on-ramp page sells stand-in USDC and returns to the app', async () => {
    const { onrampUrl } = (await ask(order({ presetFiatAmount: '25.5' }), local)).json.data
    const { pathname, search, searchParams } = new URL(onrampUrl)
    const page = await api.call('GET', pathname + search, { env: local })
    expect(page.text).toContain('25.5 USDC')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    const paid = await form('/dev/onramp', Object.fromEntries(searchParams))
    expect([paid.status, paid.headers.get('location')]).toEqual([303, back])
    await until('the money', async () => (await chain.usdcBalance(own.walletAddress)) === usdc('25.5'))
  })

  test('the local on-ramp page returns to no other site, and does not exist outside a local stack', async () => {
    const fields = { address: fresh('anybody'), amount: '1', redirectUrl: 'https://evil.example/' }
    expect((await form('/dev/onramp', fields)).headers.get('location')).toBe(new URL(env.APP_ORIGIN).origin)
    expect((await form('/dev/onramp', fields, { ENVIRONMENT: 'production' })).status).toBe(404)
    expect((await form('/dev/onramp', { ...fields, amount: '-1' })).status).toBe(400)
    const query = new URLSearchParams({ ...fields, redirectUrl: 'javascript:"<script>"' })
    expect((await api.call('GET', `/dev/onramp?${query}`, { env: local })).text).not.toContain('<script>')
  })
})
