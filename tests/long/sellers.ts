/**
 * `npm run test:long sellers`: agents buy from sellers of other vendors, unmodified: mppx on its x402 path, with a facilitator that
 * settles on the local chain. Test id: @x402-180. Test id: @x402-181. Test id: @x402-182.
 */
import assert from 'node:assert/strict'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { Bursar, type Payment } from '#sdk'
import { until } from '../../local/client.ts'
import { serveLocally } from '../../local/standIns/server.ts'
import { bursarScheme } from '../../sdk/src/x402.ts'
import { importClient, installClients } from '../support/clients.ts'
import { chainFacilitator, sellerNetwork as network } from '../support/seller.ts'
import { addressFor, chainReader, createSender, rpcOf, type Sender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

await installClients('sellers')
const { evm, Mppx } = await importClient('mppx/dist/server/index.js', 'sellers')

const stack = await createTestStack({ lean: true })
const rpcUrl = stack.rpc[8453]
const { usdc } = stack.contracts[8453]
const chain = chainReader(rpcUrl, usdc)
const payTo = addressFor('a seller with mppx')

/** The `price` (USDC) is asked for at any path; `served` counts what the seller handed out. */
const shop = { price: '0.28', served: 0 }
const mppx = Mppx.create({
  methods: [
    evm.charge({
      ...{ currency: usdc, recipient: payTo, chainId: 8453, decimals: 6 },
      authorization: { name: 'USD Coin', version: '2' },
      x402: { facilitator: await chainFacilitator(rpcUrl, 1), maxTimeoutSeconds: 20 },
    }),
  ],
  realm: 'seller.example',
  secretKey: 'a secret that only this seller has, for its challenges',
})
const seller = await serveLocally(0, async (request) => {
  // It throws at a signature that no key made.
  const reply = await mppx
    .charge({ amount: shop.price })(request)
    .catch((error: Error) => error)
  if (reply instanceof Error) return new Response(reply.message, { status: 500 })
  if (reply.status === 402) return reply.challenge
  shop.served += 1
  return reply.withReceipt(new Response(`paid ${new URL(request.url).pathname}`))
})

const scopes = ['x402_payments:write']
const buyerOf = ({ agents }: Sender) => new Bursar({ url: stack.url, apiKey: agents[0]!.apiKey })

/** What the seller earns (micro-USDC) and serves by this. */
async function soldBy(work: () => Promise<unknown>): Promise<{ earned: bigint; served: number }> {
  const [before, served] = [await chain.balanceOf(payTo), shop.served]
  await work()
  return { earned: (await chain.balanceOf(payTo)) - before, served: shop.served - served }
}

try {
  // An import reads the balance at a final block.
  await until('a final USDC', async () => (await rpcOf(rpcUrl)('eth_getCode', usdc, 'finalized')) !== '0x')
  const imported = await createSender(stack, { funds: '50', limit: 20, scopes, imported: true })
  const bursar = buyerOf(imported)
  const spent = async () => (await bursar.context()).budget.spent

  const byFetch = await soldBy(async () => {
    const response = await bursar.fetch(`${seller.url}/data?city=Rome`, {}, { maxAmount: '0.28' })
    assert.deepEqual([response.status, await response.text()], [200, 'paid /data'])
    const done = await bursar.payments.wait(response.payment!.id, { until: 'final' })
    assert.equal(done.status, 'CONFIRMED')
    assert.equal((done.receipt as { served: boolean }).served, true)
  })
  assert.deepEqual(byFetch, { earned: 280_000n, served: 1 })
  assert.equal(await spent(), '0.28')
  console.log('@x402-180 bursar.fetch buys from mppx, once, from an imported wallet')

  const scheme = bursarScheme(bursar)
  const client = new x402Client().register(network, scheme)
  client.setSpendControls({ allowedAssets: [{ network, asset: usdc, maxAmountPerPayment: '280000' }] })
  const pay = wrapFetchWithPayment(fetch, new x402HTTPClient(client).onPaymentRequired(scheme.onPaymentRequired))
  const byClient = await soldBy(async () => {
    const response = await pay(`${seller.url}/report`)
    assert.deepEqual([response.status, await response.text()], [200, 'paid /report'])
  })
  assert.deepEqual(byClient, { earned: 280_000n, served: 1 })
  await settled(bursar)
  assert.equal(await spent(), '0.56')
  console.log('@x402-181 @x402/fetch with our scheme buys from mppx, once')

  // Between the challenge and the payment, the seller asks for more: it refuses what was signed, and nothing moves.
  const changed = await soldBy(async () => {
    const paymentRequired = (await fetch(`${seller.url}/data`)).headers.get('payment-required')!
    const bought = await bursar.purchases.create({ resource: `${seller.url}/data`, paymentRequired, wait: 'signed' })
    shop.price = '0.3'
    const response = await fetch(`${seller.url}/data`, { headers: { 'PAYMENT-SIGNATURE': bought.x402!.header } })
    assert.equal(response.status, 402)
  })
  assert.deepEqual(changed, { earned: 0n, served: 0 })
  assert.equal(await spent(), '0.56')
  // What was signed may be settled until its time is over; then the amount is available again.
  await until('the release', async () => (await bursar.context()).budget.held === '0', 120_000)
  assert.equal(await spent(), '0.56')
  shop.price = '0.28'

  // mppx recovers a key from the signature, so a contract can't pay it: measured, so that the docs say what is true.
  const smart = await createSender(stack, { funds: '50', limit: 20, scopes, purchaseAllowance: 20 })
  const logged: string[] = []
  console.error = (...parts) => logged.push(parts.join(' '))
  const bySmart = await soldBy(async () => {
    const response = await buyerOf(smart).fetch(`${seller.url}/data`, {}, { maxAmount: '0.28' })
    assert.equal(response.status, 500, 'if a smart wallet can pay mppx, docs/agents/x402.md should say so')
    assert.match(logged.join('\n'), /invalid signature length/)
  })
  assert.deepEqual(bySmart, { earned: 0n, served: 0 })
  console.log('@x402-182 what mppx refuses is not paid: a changed price, and the signature of a smart wallet')
} finally {
  await seller.stop()
  await stack.stop()
}

/** Waits until no purchase is open. */
async function settled(bursar: Bursar): Promise<void> {
  const rows: Payment[] = []
  for await (const payment of bursar.payments.list({ pageSize: 20 })) rows.push(payment)
  for (const { id } of rows) await bursar.payments.wait(id, { until: 'final' })
}
