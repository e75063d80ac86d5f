/** A seller for the sample's purchases: it asks for a price in the way of x402, and settles what it is handed on the local chain. */
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { usdcAbi } from '../../worker/chain/abi.ts'
import { RpcClient } from '../../worker/chain/rpcClient.ts'
import type { Address } from '../../worker/chain/types.ts'
import { type LocalServer, serveLocally } from '../standIns/server.ts'

type Paid = {
  payload: {
    authorization: Record<'from' | 'to', Address> &
      Record<'value' | 'validAfter' | 'validBefore', string> & { nonce: Hex }
    signature: Hex
  }
}
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64')

/** `/280000/…` costs 0.28 USDC. */
export async function startShop(rpcUrl: string, usdc: Address, payTo: Address): Promise<LocalServer> {
  const account = privateKeyToAccount(generatePrivateKey())
  await new RpcClient(rpcUrl).request('anvil_setBalance', [account.address, '0xde0b6b3a7640000']) // 1 ETH
  const client = createWalletClient({ account, chain: base, transport: http(rpcUrl), pollingInterval: 50 }).extend(
    publicActions,
  )
  return serveLocally(0, async (request) => {
    const amount = new URL(request.url).pathname.split('/')[1]
    const offer = { scheme: 'exact', network: 'eip155:8453', asset: usdc, amount, payTo, maxTimeoutSeconds: 60 }
    const challenge = { x402Version: 2, accepts: [{ ...offer, extra: { name: 'USD Coin', version: '2' } }] }
    const payment = request.headers.get('payment-signature')
    if (payment === null)
      return new Response(null, { status: 402, headers: { 'payment-required': encoded(challenge) } })
    const { authorization, signature } = (JSON.parse(Buffer.from(payment, 'base64').toString()) as Paid).payload
    const { from, to, value, validAfter, validBefore, nonce } = authorization
    const transaction = await client.writeContract({
      ...{ address: usdc, abi: usdcAbi, functionName: 'transferWithAuthorization' },
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    })
    // The sample's clock goes on once this has replied, and then the authorization is too old.
    await client.waitForTransactionReceipt({ hash: transaction })
    const settled = { success: true, transaction, network: offer.network, payer: from }
    return new Response('Here it is.', { headers: { 'payment-response': encoded(settled) } })
  })
}
