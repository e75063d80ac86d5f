/** An unmodified facilitator of x402 that settles on a local chain, with several keys as real ones have. */
import { x402Facilitator } from '@x402/core/facilitator'
import type { FacilitatorClient } from '@x402/core/server'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { rpcOf } from './stackClient.ts'

const network = 'eip155:8453'

/** Each key sends one transaction at a time, because it counts its nonces itself. */
export async function chainFacilitator(rpcUrl: string, keys = 3): Promise<FacilitatorClient> {
  const setBalance = (address: string) => rpcOf(rpcUrl)('anvil_setBalance', address, '0xde0b6b3a7640000') // 1 ETH
  const facilitators = await Promise.all(
    Array.from({ length: keys }, async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      await setBalance(account.address)
      const sender = createWalletClient({ account, chain: base, transport: http(rpcUrl), pollingInterval: 50 })
      const signer = toFacilitatorEvmSigner({ ...sender.extend(publicActions), address: account.address } as never)
      const facilitator = new x402Facilitator()
      registerExactEvmScheme(facilitator, { signer, networks: network })
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
