/** Unmodified x402 packages accept payments that the Worker's own code signs, from both kinds of wallets. */
import { x402Client } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch'
import { paymentMiddleware } from '@x402/hono'
import { Hono } from 'hono'
import { createWalletClient, encodeFunctionData, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseOffer, purchaseEnd, type Token } from '#domain/x402/chooseOffer.ts'
import { paymentHeader, paymentPayload } from '#domain/x402/paymentPayload.ts'
import { type PaymentRequired, parsePaymentRequired } from '#domain/x402/paymentRequired.ts'
import { classFor, type PurchaseClass } from '#domain/x402/purchaseClasses.ts'
import { agentWalletAbi, usdcAbi } from '../../worker/chain/abi.ts'
import { authorizationNonce, authorizationSignature, usdcDomainSeparator } from '../../worker/chain/authorization.ts'
import { authorizationDigest } from '../../worker/chain/authorizationDigest.ts'
import { purchaseNonce, signPurchase } from '../../worker/chain/purchase.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import { signCompact } from '../../worker/chain/sign.ts'
import type { Hex } from '../../worker/chain/types.ts'
import { oneSet } from '../support/contractSets.ts'
import {
  createWallet,
  createWalletData,
  type LocalChain,
  party,
  roles,
  startLocalChain,
  type TestWallet,
} from '../support/localChain.ts'

const network = 'eip155:8453'
const shop = party('shop').address

describe('x402', () => {
  let chain: LocalChain
  let buyer: TestWallet
  let token: Token
  let separator: Hex
  let seller: Hono

  beforeAll(async () => {
    chain = await startLocalChain()
    buyer = await createWallet(chain, 'buyer', { purchaseAllowance: 50 })
    await chain.submit(chain.contracts.factory, createWalletData(buyer.parameters))
    await chain.mint(buyer.address, 100_000_000n)
    separator = (await usdcDomainSeparator(new RpcChain(8453, oneSet(chain.contracts), [chain.url])))!
    token = { chainId: 8453, address: chain.contracts.usdc, name: 'USD Coin', version: '2' }
    seller = startSeller()
  })

  afterAll(() => chain.stop())

  /** A seller of `/data` for 0.28 and `/dear` for 1.5 USDC. Its facilitator sends transactions of a funded account. */
  function startSeller(): Hono {
    const account = privateKeyToAccount(roles.relayer.key)
    const sender = createWalletClient({ account, chain: base, transport: http(chain.url), pollingInterval: 10 })
    const signer = toFacilitatorEvmSigner({ ...sender.extend(publicActions), address: account.address } as never)
    const facilitator = new x402Facilitator()
    registerExactEvmScheme(facilitator, { signer, networks: network })
    const facilitatorClient: FacilitatorClient = {
      verify: (payload, requirements) => facilitator.verify(payload, requirements),
      settle: (payload, requirements) => facilitator.settle(payload, requirements),
      getSupported: async () => facilitator.getSupported() as never,
    }
    const server = new x402ResourceServer(facilitatorClient).register(network, new ExactEvmScheme())
    const price = (amount: string) => {
      const extra = { name: token.name, version: token.version }
      return {
        accepts: { scheme: 'exact', network, payTo: shop, price: { amount, asset: token.address, extra } },
      } as const
    }
    const routes = { 'GET /data': price('280000'), 'GET /dear': price('1500000') }
    const app = new Hono()
    app.use(paymentMiddleware(routes, server))
    app.get('/data', (c) => c.text('the data'))
    app.get('/dear', (c) => c.text('the dear data'))
    return app
  }

  /** What the wallet pays for a challenge, with this number of its class. */
  async function payFor(challenge: PaymentRequired, number: number, over: { class?: PurchaseClass } = {}) {
    const choice = chooseOffer(challenge, token, null)
    if (!choice.ok) throw new Error(choice.message)
    const { offer } = choice
    const purchase = {
      from: buyer.address,
      to: offer.payTo,
      amount: offer.amount,
      validBefore: purchaseEnd(await chain.now(), offer.accepted),
      epoch: 1,
      class: over.class ?? classFor(offer.amount) ?? 2,
      number,
    } as const
    const signature = signPurchase(separator, purchase, buyer.session.key)
    return paymentPayload(challenge, offer, { ...purchase, nonce: purchaseNonce(purchase), signature })
  }

  async function challengeOf(path: string): Promise<PaymentRequired> {
    const response = await seller.request(path)
    expect(response.status).toBe(402)
    const parsed = parsePaymentRequired(response.headers.get('PAYMENT-REQUIRED'))
    if (!parsed.ok) throw new Error(parsed.problem.message)
    return parsed.value
  }

  const request = (path: string, header: string) => seller.request(path, { headers: { 'PAYMENT-SIGNATURE': header } })

  async function earned(): Promise<bigint> {
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [shop] })
    return BigInt((await chain.client.call({ to: chain.contracts.usdc, data })).data!)
  }

  test('an unmodified client with our scheme buys from an unmodified seller @x402-24', async () => {
    const before = await earned()
    const client = new x402Client().setSpendControls(false).register(network, {
      scheme: 'exact',
      async createPaymentPayload(x402Version, requirements) {
        const { payload } = await payFor({ accepts: [requirements as never] }, 0)
        return { x402Version, payload }
      },
    })
    const pay = wrapFetchWithPayment(async (input, init) => seller.fetch(new Request(input, init)), client)
    const response = await pay('http://shop.example/data')
    expect([response.status, await response.text()]).toEqual([200, 'the data'])
    const receipt = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE')!)
    expect(receipt).toMatchObject({ success: true, network })
    expect(receipt.payer?.toLowerCase()).toBe(buyer.address.toLowerCase())
    expect((await earned()) - before).toBe(280_000n)
  })

  test('the header alone is enough, and it buys once @x402-25', async () => {
    const before = await earned()
    const header = paymentHeader(await payFor(await challengeOf('/data'), 1))
    expect((await request('/data', header)).status).toBe(200)
    expect((await request('/data', header)).status).toBe(402)
    expect((await earned()) - before).toBe(280_000n)
  })

  test('what the wallet does not confirm debits nothing: above the cap, another class, no such number, another price @x402-26', async () => {
    const before = await earned()
    const [data, dear] = [await challengeOf('/data'), await challengeOf('/dear')]
    const refused = [
      ['/dear', await payFor(dear, 2)],
      ['/data', await payFor(data, 2, { class: 1 })],
      ['/data', await payFor(data, 30)],
      ['/dear', await payFor(data, 2)],
    ] as const
    for (const [path, payload] of refused) expect((await request(path, paymentHeader(payload))).status).toBe(402)
    expect((await earned()) - before).toBe(0n)
  })

  test('an imported wallet pays with its own signature @x402-32', async () => {
    const before = await earned()
    const imported = party('imported wallet')
    await chain.mint(imported.address, 1_000_000n)
    const challenge = await challengeOf('/dear')
    const choice = chooseOffer(challenge, token, null)
    if (!choice.ok) throw new Error(choice.message)
    const { offer } = choice
    const authorization = {
      from: imported.address,
      to: offer.payTo,
      amount: offer.amount,
      nonce: authorizationNonce('a purchase'),
      validBefore: purchaseEnd(await chain.now(), offer.accepted),
    }
    const signature = authorizationSignature(signCompact(authorizationDigest(separator, authorization), imported.key))
    const header = paymentHeader(paymentPayload(challenge, offer, { ...authorization, signature }))
    expect((await request('/dear', header)).status, 'the balance is too low').toBe(402)
    await chain.mint(imported.address, 1_000_000n)
    expect((await request('/dear', header)).status).toBe(200)
    expect((await request('/dear', header)).status).toBe(402)
    expect((await earned()) - before).toBe(1_500_000n)
  })

  test('revoking the session ends a payment that was handed out @x402-27', async () => {
    const before = await earned()
    const header = paymentHeader(await payFor(await challengeOf('/data'), 3))
    await chain.client.request({
      method: 'anvil_setBalance',
      params: [buyer.owner.address, '0xde0b6b3a7640000'],
    } as never)
    const revoke = encodeFunctionData({ abi: agentWalletAbi, functionName: 'revokeSession' })
    await chain.submit(buyer.address, revoke, { from: buyer.owner })
    expect((await request('/data', header)).status).toBe(402)
    expect((await earned()) - before).toBe(0n)
  })
})
