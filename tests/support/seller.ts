/** An unmodified x402 seller on loopback, whose facilitators settle on a local chain. */
import { x402Facilitator } from '@x402/core/facilitator'
import type { FacilitatorClient } from '@x402/core/server'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { serveLocally } from '../../local/standIns/server.ts'
import type { Address } from '../../worker/chain/types.ts'
import { rpcOf } from './stackClient.ts'
import { x402Shop } from './x402Shop.ts'

export const sellerNetwork = 'eip155:8453'

type Options = {
  rpcUrl: string
  usdc: Address
  payTo: Address
  /** In micro-USDC, by path or method and path: `{ '/data': 280_000, 'POST /report': 20_000 }`. */
  prices: Record<string, number>
  /** How many keys take turns to settle. */
  facilitators?: number
}

type Settle = FacilitatorClient['settle']

export async function startSeller({ rpcUrl, usdc, payTo, prices, facilitators = 1 }: Options) {
  const facilitator = await chainFacilitator(rpcUrl, facilitators)
  const facilitating = { settle: facilitator.settle }
  const shop = x402Shop(
    { ...facilitator, settle: (...payment) => facilitating.settle(...payment) },
    { network: sellerNetwork, payTo, token: { address: usdc, name: 'USD Coin', version: '2' }, prices },
  )
  const { url, stop } = await serveLocally(0, async (request) => shop.fetch(request))
  return {
    url,
    host: new URL(url).host,
    /** Replaces how payments are settled, such as by a facilitator that never does. */
    settleBy(settle: (own: Settle) => Settle) {
      facilitating.settle = settle(facilitator.settle)
    },
    stop,
  }
}
export type Seller = Awaited<ReturnType<typeof startSeller>>

/** An unmodified facilitator. Each of its keys sends one transaction at a time, because it counts its nonces itself. */
export async function chainFacilitator(rpcUrl: string, keys: number): Promise<FacilitatorClient> {
  const setBalance = (address: string) => rpcOf(rpcUrl)('anvil_setBalance', address, '0xde0b6b3a7640000') // 1 ETH
  const facilitators = await Promise.all(
    Array.from({ length: keys }, async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      await setBalance(account.address)
      const sender = createWalletClient({ account, chain: base, transport: http(rpcUrl), pollingInterval: 50 })
      const signer = toFacilitatorEvmSigner({ ...sender.extend(publicActions), address: account.address } as never)
      const facilitator = new x402Facilitator()
      registerExactEvmScheme(facilitator, { signer, networks: sellerNetwork })
      return { facilitator, last: Promise.resolve() as Promise<unknown> }
    }),
  )
  let turn = 0
  return {
    verify: (payload, requirements) => facilitators[0]!.facilitator.verify(payload, requirements),
    settle(payload, requirements) {
      const next = facilitators[turn++ % keys]!
      const settled = next.last.then(() => next.facilitator.settle(payload, requirements))
      next.last = settled.catch(() => {})
      return settled
    },
    getSupported: async () => facilitators[0]!.facilitator.getSupported() as never,
  }
}
