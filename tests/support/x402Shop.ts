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
  /** In micro-USDC, by path or method and path: `{ '/data': 280_000, 'POST /report': 20_000 }`. */
  prices: Record<string, number>
}

/** Each resource is a text that names it and repeats the body of the request. */
export function x402Shop(facilitator: FacilitatorClient, { network, payTo, token, prices }: Shop): Hono {
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())
  const extra = { name: token.name, version: token.version }
  const accepts = (amount: number) =>
    ({ scheme: 'exact', network, payTo, price: { amount: String(amount), asset: token.address, extra } }) as const
  const routes = Object.entries(prices).map(([name, amount]) => {
    const [path, method = 'GET'] = name.split(' ').reverse() as [string, string?]
    return { path, method, amount }
  })
  const priced = routes.map(({ path, method, amount }) => [`${method} ${path}`, { accepts: accepts(amount) }])
  const app = new Hono().use(paymentMiddleware(Object.fromEntries(priced), server))
  for (const { path, method } of routes)
    app.on(method, path, async (c) => {
      const body = await c.req.text()
      return c.text(body === '' ? `paid ${path}` : `paid ${path}: ${body}`)
    })
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
