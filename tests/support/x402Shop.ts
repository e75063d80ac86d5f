/** A seller of resources: the unmodified server of x402 for Hono, with any facilitator. */
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { SettleResponse, VerifyResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware } from '@x402/hono'
import { Hono } from 'hono'

type Shop = {
  network: `eip155:${number}`
  payTo: string
  token: { address: string; name: string; version: string }
  /** Price in micro-USDC, by method and path: `{ 'GET /data': '280000' }`. */
  prices: Record<string, string>
}

/** Each resource is a text that names it, and repeats the body of the request. */
export function x402Shop(facilitator: FacilitatorClient, { network, payTo, token, prices }: Shop): Hono {
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())
  const extra = { name: token.name, version: token.version }
  const accepts = (amount: string) =>
    ({ scheme: 'exact', network, payTo, price: { amount, asset: token.address, extra } }) as const
  const routes = Object.entries(prices).map(([route, amount]) => [route, { accepts: accepts(amount) }])
  const app = new Hono().use(paymentMiddleware(Object.fromEntries(routes), server))
  for (const route of Object.keys(prices)) {
    const [method, path] = route.split(' ') as [string, string]
    app.on(method, path, async (c) => c.text(`${path}: ${await c.req.text()}`))
  }
  return app
}

type Paid = { payload: { authorization: { nonce: string; from: string } } }

/** A facilitator without a chain: each nonce settles once. `verify` and `settle` may be replaced. */
export function memoryFacilitator(network: `eip155:${number}`, over: Partial<FacilitatorClient> = {}) {
  const settled: string[] = []
  const authorizationOf = (payload: unknown) => (payload as Paid).payload.authorization
  const facilitator: FacilitatorClient = {
    async verify(payload): Promise<VerifyResponse> {
      const { nonce, from } = authorizationOf(payload)
      return settled.includes(nonce) ? { isValid: false, invalidReason: 'nonce_used' } : { isValid: true, payer: from }
    },
    async settle(payload): Promise<SettleResponse> {
      const { nonce, from } = authorizationOf(payload)
      settled.push(nonce)
      return { success: true, transaction: `0x${'1'.repeat(64)}`, network, payer: from }
    },
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network }],
      extensions: [],
      signers: {},
    }),
    ...over,
  }
  return { facilitator, settled }
}
