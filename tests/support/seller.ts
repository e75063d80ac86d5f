/** An unmodified x402 seller on loopback, whose facilitators settle on a local chain. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware } from '@x402/hono'
import { Hono } from 'hono'
import { createWalletClient, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import type { Address } from '../../worker/chain/types.ts'
import { rpcOf } from './stackClient.ts'

export const sellerNetwork = 'eip155:8453'

type Options = {
  rpcUrl: string
  usdc: Address
  payTo: Address
  /** micro-USDC by path, such as `{ '/data': 280_000 }`. */
  prices: Record<string, number>
  /** How many keys take turns to settle. */
  facilitators?: number
}

/** What the seller does with a payment that it has verified. `settle` is the facilitator's own. */
type Facilitating = { settle: FacilitatorClient['settle'] }

export async function startSeller({ rpcUrl, usdc, payTo, prices, facilitators = 1 }: Options) {
  const rpc = rpcOf(rpcUrl)
  const keys = await Promise.all(
    Array.from({ length: facilitators }, async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      await rpc('anvil_setBalance', account.address, '0xde0b6b3a7640000')
      const sender = createWalletClient({ account, chain: base, transport: http(rpcUrl), pollingInterval: 50 })
      const facilitator = new x402Facilitator()
      const signer = toFacilitatorEvmSigner({ ...sender.extend(publicActions), address: account.address } as never)
      registerExactEvmScheme(facilitator, { signer, networks: sellerNetwork })
      return facilitator
    }),
  )
  let turn = 0
  const own: Facilitating['settle'] = (...payment) => keys[turn++ % keys.length]!.settle(...payment)
  const facilitating: Facilitating = { settle: own }
  const client: FacilitatorClient = {
    verify: (...payment) => keys[0]!.verify(...payment),
    settle: (...payment) => facilitating.settle(...payment),
    getSupported: async () => keys[0]!.getSupported() as never,
  }
  const server = new x402ResourceServer(client).register(sellerNetwork, new ExactEvmScheme())
  const app = new Hono()
  const routes = Object.fromEntries(
    Object.entries(prices).map(([path, amount]) => [
      `GET ${path}`,
      {
        accepts: {
          ...{ scheme: 'exact', network: sellerNetwork, payTo },
          price: { amount: String(amount), asset: usdc, extra: { name: 'USD Coin', version: '2' } },
        },
      } as const,
    ]),
  )
  app.use(paymentMiddleware(routes as never, server))
  for (const path of Object.keys(prices)) app.get(path, (c) => c.text(`paid ${path}`))

  const listener = createServer(async (request, reply) => {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    )
    const answer = await app.fetch(new Request(`${url}${request.url}`, { method: request.method!, headers }))
    reply.writeHead(answer.status, Object.fromEntries(answer.headers))
    reply.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url,
    host: new URL(url).host,
    /** Replaces how payments are settled, such as by a facilitator that never does. */
    settleBy(settle: (own: Facilitating['settle']) => Facilitating['settle']) {
      facilitating.settle = settle(own)
    },
    async stop() {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
export type Seller = Awaited<ReturnType<typeof startSeller>>
