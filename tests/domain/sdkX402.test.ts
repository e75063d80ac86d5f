/** Bursar as a scheme of unmodified x402 clients, with purchases of /v1 in memory. */
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { expect, test } from 'vitest'
import { Bursar } from '#sdk'
import { bursarScheme, type SchemeOptions } from '../../sdk/src/x402.ts'
import { bursarUrl, problem, purchaseApi, unsigned } from '../support/purchaseApi.ts'
import { memoryFacilitator, x402Shop } from '../support/x402Shop.ts'

const network = 'eip155:8453'
const payTo = '0x2222222222222222222222222222222222222222'
const token = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2' }
const prices = { '/data': 10_000, 'POST /report': 20_000, '/dear': 1_500_000 }

function setUp(options?: SchemeOptions, api = purchaseApi()) {
  const { facilitator, settled } = memoryFacilitator(network)
  const shop = x402Shop(facilitator, { network, payTo, token, prices })
  const bursar = new Bursar({ url: bursarUrl, apiKey: 'bk_test', fetch: api.fetchWith() })
  const scheme = bursarScheme(bursar, options)
  const client = new x402Client().register(network, scheme)
  const send: typeof fetch = async (input, init) => shop.fetch(new Request(input, init))
  return { api, settled, scheme, client, send, pay: wrapFetchWithPayment(send, client) }
}

test('an unmodified client buys with our scheme, and Bursar hears what the seller settled @x402-156', async () => {
  const { api, settled, pay } = setUp({ memo: 'Weather' })
  const response = await pay('https://shop.example/data')
  expect([response.status, await response.text()]).toEqual([200, 'paid /data'])
  expect(settled).toHaveLength(1)
  const [{ payment_required, ...terms }] = api.asked as [(typeof api.asked)[0]]
  expect(terms).toMatchObject({ resource: 'https://shop.example/data', method: 'GET', memo: 'Weather' })
  expect(payment_required).toEqual({ x402Version: 2, accepts: [expect.objectContaining({ payTo, amount: '10000' })] })
  expect(api.receipts).toEqual([{ id: 'pay_1', payment_response: expect.any(String), served: true }])
  expect(JSON.parse(atob(api.receipts[0]!.payment_response!))).toMatchObject({ success: true, network })
})

test('the address is the requested one if the client tells it, whatever the seller calls its resource @x402-157', async () => {
  const lying =
    (send: typeof fetch): typeof fetch =>
    async (input, init) => {
      const response = await send(input, init)
      const header = response.headers.get('payment-required')
      if (header === null) return response
      const challenge = JSON.parse(atob(header))
      challenge.resource.url = 'https://trusted.example/data'
      const headers = { 'payment-required': btoa(JSON.stringify(challenge)) }
      return new Response(null, { status: 402, headers })
    }
  const { api, scheme, client, send, pay } = setUp({ method: 'POST' })
  const http = new x402HTTPClient(client).onPaymentRequired(scheme.onPaymentRequired)
  await wrapFetchWithPayment(lying(send), http)('https://shop.example/report', { method: 'POST', body: 'x' })
  expect(api.asked[0]).toMatchObject({ resource: 'https://shop.example/report', method: 'POST' })
  await pay('https://shop.example/report', { method: 'POST', body: 'x' })
  expect(api.asked[1]).toMatchObject({ resource: 'https://shop.example/report' })
})

test('the client’s own limit on spending holds: above 1 USD, nothing is asked of Bursar @x402-158', async () => {
  const { api, client, pay } = setUp()
  await expect(pay('https://shop.example/dear')).rejects.toThrow(/spendControls.maxAmountPerPayment/)
  expect(api.asked).toEqual([])
  client.setSpendControls({ maxAmountPerPayment: '$2' })
  expect((await pay('https://shop.example/dear')).status).toBe(200)
})

test('a client that recovers and asks again for the same challenge gets the same payment @x402-159', async () => {
  const { api, settled, client, pay } = setUp()
  let retries = 0
  client.onPaymentResponse(async () => (retries++ === 0 ? { recovered: true } : undefined))
  expect((await pay('https://shop.example/data')).status).toBe(402)
  expect(api.asked).toHaveLength(2)
  expect(api.bought.size).toBe(1)
  expect(settled).toHaveLength(1)
  await pay('https://shop.example/data')
  expect(api.bought.size).toBe(2)
})

test('a refusal and a waiting approval end the client’s call with what Bursar says @x402-160', async () => {
  const refused = setUp(
    {},
    purchaseApi(() => problem(403, 'budget_exceeded')),
  )
  await expect(refused.pay('https://shop.example/data')).rejects.toThrow('Because of budget_exceeded.')
  const approval = { id: 'apr_1', status: 'PENDING', url: 'https://bursar.example/a' } as never
  const asked = setUp(
    {},
    purchaseApi(() => ({ status: 202, body: unsigned('PENDING_APPROVAL', { approval }) })),
  )
  await expect(asked.pay('https://shop.example/data')).rejects.toThrow(/approval at https:\/\/bursar\.example\/a/)
  const { scheme } = asked
  await expect(scheme.createPaymentPayload(2, { scheme: 'exact' } as never)).rejects.toThrow(/^resource: /)
})
