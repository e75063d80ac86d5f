/** A seller of anything: its paths name the address and the price. Settles what it is paid itself, if the test wants it. */
import { createWalletClient, type Hex, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { serve } from '../../local/standIns/server.ts'
import { usdcAbi } from '../../worker/chain/abi.ts'
import type { Address } from '../../worker/chain/types.ts'
import { rpcOf } from './stackClient.ts'

type Authorization = { from: Address; to: Address; value: string; validAfter: string; validBefore: string; nonce: Hex }

export async function startShop({ rpcUrl, usdc }: { rpcUrl: string; usdc: Address }) {
  const challengeAt = (path: string) => {
    const [payTo, amount] = path.slice(1).split('/')
    const extra = { name: 'USD Coin', version: '2' }
    const offer = { scheme: 'exact', network: 'eip155:8453', asset: usdc, amount, payTo, maxTimeoutSeconds: 60, extra }
    return { x402Version: 2, accepts: [offer] }
  }
  const { url, stop } = await serve((request, reply) => {
    const header = Buffer.from(JSON.stringify(challengeAt(request.url ?? '/'))).toString('base64')
    reply.writeHead(402, { 'payment-required': header }).end()
  })
  return {
    /** What an agent sends to buy for `amount` micro-USDC from the seller at `payTo`. */
    requestOf(payTo: Address, amount: bigint) {
      const path = `/${payTo}/${amount}`
      return { resource: `${url}${path}`, payment_required: challengeAt(path) }
    },
    /** A key that settles payments, one after the other. */
    async facilitator() {
      const account = privateKeyToAccount(generatePrivateKey())
      await rpcOf(rpcUrl)('anvil_setBalance', account.address, '0xde0b6b3a7640000')
      const client = createWalletClient({ account, chain: base, transport: http(rpcUrl), pollingInterval: 50 })
      return (payload: unknown): Promise<Hex> => {
        const { authorization: to, signature } = (
          payload as { payload: { authorization: Authorization; signature: Hex } }
        ).payload
        const { from, validAfter, validBefore, nonce } = to
        const args = [from, to.to, BigInt(to.value), BigInt(validAfter), BigInt(validBefore), nonce, signature] as const
        return client.writeContract({
          ...{ address: usdc, abi: usdcAbi, functionName: 'transferWithAuthorization' },
          args,
        })
      }
    },
    stop,
  }
}
export type Shop = Awaited<ReturnType<typeof startShop>>
