/** `bursar.fetch` with real sellers on loopback, and purchases of /v1 in memory. tests/gateway/x402.test.ts uses the real API. */
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Bursar, BursarError, BursarNotServed, BursarOutcomeUnknown, BursarRefusal } from '#sdk'
import { serveLocally } from '../../local/standIns/server.ts'
import { bursarUrl, problem, purchaseApi, unsigned } from '../support/purchaseApi.ts'
import { memoryFacilitator, x402Shop } from '../support/x402Shop.ts'

const network = 'eip155:8453'
const payTo = '0x2222222222222222222222222222222222222222'
const token = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2' }
const prices = { '/data': 10_000, 'POST /report': 20_000 }

const servers: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

/** Serves a seller on loopback. Returns its address, and what it was asked. */
async function open(seller: Hono, before?: (request: Request) => Response | Promise<Response> | undefined) {
  const requests: Request[] = []
  const server = await serveLocally(0, async (request) => {
    requests.push(request.clone())
    return (await before?.(request)) ?? seller.fetch(request)
  })
  servers.push(server)
  return { url: server.url, requests }
}

const { facilitator, settled } = memoryFacilitator(network)
const shop = (over?: Parameters<typeof memoryFacilitator>[1]) =>
  x402Shop(over ? memoryFacilitator(network, over).facilitator : facilitator, { network, payTo, token, prices })
beforeEach(() => void settled.splice(0))

function buyer(api = purchaseApi(), sells?: (request: Request) => Response | Promise<Response>) {
  return { api, bursar: new Bursar({ url: bursarUrl, apiKey: 'bk_test', fetch: api.fetchWith(sells) }) }
}
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: Error) => error,
  )
const paid = (request: Request) => request.headers.has('payment-signature')

describe('bursar.fetch', () => {
  test('buys what a 402 asks for, repeats the request, and reports the receipt @x402-140', async () => {
    const seller = await open(shop())
    const { api, bursar } = buyer()
    const url = `${seller.url}/data?city=Rome#now`
    const response = await bursar.fetch(url, { headers: { 'x-own': '1' } }, { memo: 'Weather' })
    expect([response.status, await response.text()]).toEqual([200, 'paid /data'])
    expect(response.payment).toMatchObject({ id: 'pay_1', amount: '0.01' })
    expect(api.asked).toHaveLength(1)
    const [{ key, payment_required, ...terms }] = api.asked as [(typeof api.asked)[0]]
    expect(terms).toEqual({ resource: `${seller.url}/data?city=Rome`, method: 'GET', max_amount: '1', memo: 'Weather' })
    expect(payment_required).toMatch(/^[A-Za-z0-9+/]+=*$/)
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    expect(seller.requests.map((request) => [paid(request), request.headers.get('x-own')])).toEqual([
      [false, '1'],
      [true, '1'],
    ])
    expect(settled).toHaveLength(1)
    expect(api.receipts).toEqual([{ id: 'pay_1', payment_response: expect.any(String), served: true }])
    expect(JSON.parse(atob(api.receipts[0]!.payment_response!))).toMatchObject({ success: true, network })
  })

  test('sends the same body again, also one that can be read only once @x402-141', async () => {
    const seller = await open(shop())
    const { api, bursar } = buyer()
    const body = new Blob(['about ', 'Rome']).stream()
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'text/plain' } } as RequestInit
    const response = await bursar.fetch(`${seller.url}/report`, init, { maxAmount: '0.02' })
    expect(await response.text()).toBe('paid /report: about Rome')
    expect(api.asked[0]).toMatchObject({ method: 'POST', max_amount: '0.02' })
    const request = new Request(`${seller.url}/report`, { method: 'POST', body: 'again' })
    expect(await (await bursar.fetch(request)).text()).toBe('paid /report: again')
  })

  test('returns other replies as they are and buys nothing, also a 402 that is not from x402 @x402-142', async () => {
    const app = new Hono()
      .get('/free', (c) => c.text('free'))
      .get('/subscribe', (c) => c.json({ accepts: 'a card' }, 402))
      .get('/long', (c) => c.text('x'.repeat(1_100_000), 402))
    const seller = await open(app)
    const { api, bursar } = buyer()
    for (const [path, status, length] of [
      ['/free', 200, 4],
      ['/subscribe', 402, 20],
      ['/long', 402, 1_100_000],
      ['/none', 404, 13],
    ] as const) {
      const response = await bursar.fetch(seller.url + path)
      expect([response.status, (await response.text()).length, response.payment]).toEqual([status, length, null])
    }
    expect(api.asked).toEqual([])
  })

  test('buys from a seller that sends its challenge in the body @x402-143', async () => {
    const accepts = [{ scheme: 'exact', network, asset: token.address, amount: '10000', payTo }]
    const app = new Hono().get('/data', (c) =>
      paid(c.req.raw) ? c.text('served') : c.json({ x402Version: 2, accepts }, 402),
    )
    const seller = await open(app)
    const { api, bursar } = buyer()
    expect(await (await bursar.fetch(`${seller.url}/data`)).text()).toBe('served')
    expect(api.asked[0]!.payment_required).toEqual({ x402Version: 2, accepts })
    expect(api.receipts).toEqual([{ id: 'pay_1', payment_response: null, served: true }])
  })

  test('asks under one key, however many replies of Bursar are lost, and buys once @x402-144', async () => {
    const seller = await open(shop())
    const api = purchaseApi((asked, attempt) => {
      if (attempt > 3) return undefined
      api.buy(asked)
      return attempt === 2 ? problem(503, 'unavailable') : new TypeError('fetch failed')
    })
    const { bursar } = buyer(api)
    expect((await bursar.fetch(`${seller.url}/data`)).status).toBe(200)
    expect(api.asked).toHaveLength(4)
    expect(api.bought.size).toBe(1)
    expect(settled).toHaveLength(1)
  })

  test('buys twice in two calls, and once in two calls with the same key @x402-145', async () => {
    const seller = await open(shop())
    const { api, bursar } = buyer()
    await bursar.fetch(`${seller.url}/data`)
    await bursar.fetch(`${seller.url}/data`, {}, { idempotencyKey: 'weather-1' })
    expect(settled).toHaveLength(2)
    const again = await errorOf(bursar.fetch(`${seller.url}/data`, {}, { idempotencyKey: 'weather-1' }))
    expect(again).toBeInstanceOf(BursarNotServed)
    expect(again).toMatchObject({ idempotencyKey: 'weather-1', payment: { id: 'pay_2' } })
    expect(api.bought.size).toBe(2)
    expect(settled).toHaveLength(2)
  })

  test('throws the refusal, and the seller sees no payment @x402-146', async () => {
    const seller = await open(shop())
    const figures = { rule: 'session.purchases', class: 0, resets_at: '2026-11-27T12:00:00.000Z' }
    const api = purchaseApi(() => problem(422, 'purchases_used_up', figures))
    const error = await errorOf(buyer(api).bursar.fetch(`${seller.url}/data`, {}, { maxAmount: '0.001' }))
    expect(error).toBeInstanceOf(BursarRefusal)
    expect(error).toMatchObject({ code: 'purchases_used_up', resetsAt: figures.resets_at })
    expect(seller.requests.filter(paid)).toEqual([])
    const exceeded = purchaseApi(() => problem(422, 'max_amount_exceeded'))
    expect(await errorOf(buyer(exceeded).bursar.fetch(`${seller.url}/data`))).toBeInstanceOf(BursarRefusal)
    const number = { maxAmount: 0.05 as unknown as string }
    await expect(buyer().bursar.fetch(`${seller.url}/data`, {}, number)).rejects.toThrow(/^maxAmount: must be a string/)
  })

  test('of a seller that replies 402 for ever buys once, and the error names the payment and the reason @x402-147', async () => {
    const verify = async () => ({ isValid: false, invalidReason: 'no\u001b[31m funds' })
    const seller = await open(shop({ verify }))
    const { api, bursar } = buyer()
    const call = () => errorOf(bursar.fetch(`${seller.url}/data`, {}, { idempotencyKey: 'weather-1' }))
    const error = (await call()) as BursarNotServed
    expect(error).toBeInstanceOf(BursarNotServed)
    expect(error).toMatchObject({ code: 'not_served', idempotencyKey: 'weather-1', payment: { id: 'pay_1' } })
    expect(error.message).toBe(
      `${seller.url} was handed pay_1 (0.01 USDC) and still replied 402. It says: no [31m funds`,
    )
    expect(seller.requests.map(paid)).toEqual([false, true])
    expect(api.receipts).toMatchObject([{ id: 'pay_1', served: false }])
    await call()
    expect(api.bought.size).toBe(1)
    const handed = seller.requests.filter(paid).map(({ headers }) => headers.get('payment-signature'))
    expect(handed[1]).toBe(handed[0])
  })

  test('without reply to the paid request is unknown, and its key buys the same again @x402-148', async () => {
    const seller = await open(shop())
    let isCut = true
    const { api, bursar } = buyer(purchaseApi(), async (request) => {
      if (paid(request) && isCut) throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
      return fetch(request)
    })
    const error = (await errorOf(bursar.fetch(`${seller.url}/data`))) as BursarOutcomeUnknown
    expect(error).toBeInstanceOf(BursarOutcomeUnknown)
    expect(error.message).toBe(`No reply from ${seller.url} to the request that carried pay_1: ECONNRESET.`)
    expect(error.payment).toMatchObject({ id: 'pay_1' })
    isCut = false
    const { idempotencyKey } = error
    const served = await bursar.fetch(`${seller.url}/data`, {}, { idempotencyKey: idempotencyKey! })
    expect(served.status).toBe(200)
    expect(api.bought.size).toBe(1)
    expect(api.receipts.map((receipt) => receipt.served)).toEqual([false, true])
  })

  test('returns an error of the seller with the payment, and does not repeat the request @x402-149', async () => {
    const seller = await open(shop(), (request) =>
      paid(request) ? new Response('broken', { status: 500 }) : undefined,
    )
    const { api, bursar } = buyer()
    const response = await bursar.fetch(`${seller.url}/data`)
    expect([response.status, await response.text(), response.payment?.id]).toEqual([500, 'broken', 'pay_1'])
    expect(seller.requests).toHaveLength(2)
    expect(api.receipts).toEqual([{ id: 'pay_1', payment_response: null, served: false }])
  })
})

describe('waiting for the owner', () => {
  const approval = { id: 'apr_1', status: 'PENDING', url: `${bursarUrl}/dashboard/approvals/apr_1` } as never
  const asking = (until: number) =>
    purchaseApi((_, attempt) => {
      if (attempt > until) return undefined
      const status = attempt === until ? 'QUEUED' : 'PENDING_APPROVAL'
      return { status: 202, body: unsigned(status, { approval }), headers: { 'retry-after': '30' } }
    })
  const sells = (app: Hono) => (request: Request) => app.fetch(request)

  test('is left to the caller: the error has the payment, where to approve it, and the key @x402-150', async () => {
    const { bursar } = buyer(asking(9), sells(shop()))
    const error = (await errorOf(bursar.fetch('https://shop.example/data'))) as BursarOutcomeUnknown
    expect(error).toBeInstanceOf(BursarOutcomeUnknown)
    expect(error.message).toContain(`needs the owner's approval at ${bursarUrl}/dashboard/approvals/apr_1`)
    expect(error).toMatchObject({ payment: { status: 'PENDING_APPROVAL' }, idempotencyKey: expect.any(String) })
  })

  test('if wanted, ends with the resource once it is approved and signed, under one key @x402-151', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { api, bursar } = buyer(asking(4), sells(shop()))
    const call = bursar.fetch('https://shop.example/data', {}, { wait: 'approved' })
    await vi.runAllTimersAsync()
    const response = await call
    expect([response.status, response.payment?.id]).toEqual([200, 'pay_1'])
    expect(new Set(api.asked.map(({ key }) => key)).size).toBe(1)
    expect(settled).toHaveLength(1)
  })

  test('ends with the refusal if the owner denies it, and with the payment if the seller’s time is over @x402-152', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const after = (last: ReturnType<typeof problem>) =>
      purchaseApi((_, attempt) =>
        attempt === 1 ? { status: 202, body: unsigned('PENDING_APPROVAL', { approval }) } : last,
      )
    for (const [last, expected] of [
      [problem(403, 'approval_denied'), { name: 'BursarRefusal', code: 'approval_denied' }],
      [{ status: 201, body: unsigned('FAILED') }, { name: 'BursarPaymentFailed' }],
      [{ status: 201, body: unsigned('CONFIRMED') }, { name: 'BursarNotServed' }],
    ] as const) {
      const { bursar } = buyer(after(last), sells(shop()))
      const call = errorOf(bursar.fetch('https://shop.example/data', {}, { wait: 'approved' }))
      await vi.runAllTimersAsync()
      expect(await call).toMatchObject(expected)
    }
  })
})

describe('sellers that do something else', () => {
  test('one that redirects to another host’s 402 sells nothing @x402-153', async () => {
    const seller = await open(shop())
    const lure = await open(new Hono().all('/data', (c) => c.redirect(`${seller.url}/data`, 307)))
    const { api, bursar } = buyer()
    const error = await errorOf(bursar.fetch(`${lure.url}/data`))
    expect(error).toBeInstanceOf(BursarError)
    expect(error).toMatchObject({ code: 'redirected', message: expect.stringContaining(`${seller.url}/data`) })
    expect(api.asked).toEqual([])
    const moved = await open(shop(), (request) =>
      new URL(request.url).pathname === '/old'
        ? new Response(null, { status: 301, headers: { location: '/data' } })
        : undefined,
    )
    expect((await bursar.fetch(`${moved.url}/old`)).status).toBe(200)
    expect(api.asked[0]!.resource).toBe(`${moved.url}/data`)
  })

  test('a redirect after the payment is followed at the same host only @x402-154', async () => {
    const other = await open(new Hono().get('/file', (c) => c.text('elsewhere')))
    let location = '/file'
    const app = new Hono()
      .get('/file', (c) => c.text('the file'))
      .post('/data', async (c) => {
        await c.req.text()
        return c.redirect(location, 303)
      })
    const challenge = { x402Version: 2, accepts: [{ scheme: 'exact', network, amount: '10000', payTo }] }
    const seller = await open(app, (request) =>
      request.method === 'POST' && !paid(request) ? Response.json(challenge, { status: 402 }) : undefined,
    )
    const { bursar } = buyer()
    const post = () => bursar.fetch(`${seller.url}/data`, { method: 'POST', body: 'order' })
    expect(await (await post()).text()).toBe('the file')
    location = `${other.url}/file`
    const response = await post()
    expect([response.status, response.headers.get('location')]).toEqual([303, location])
    expect(other.requests).toEqual([])
    location = '/data'
    const loop = await open(
      new Hono().get('/data', (c) => c.redirect('/data')),
      (request) => (paid(request) ? undefined : Response.json(challenge, { status: 402 })),
    )
    expect((await bursar.fetch(`${loop.url}/data`)).status).toBe(302)
    expect(loop.requests).toHaveLength(7)
  })

  test('one that is silent ends the call: before the payment as fetch does, after it as unknown @x402-155', async () => {
    const never = () => new Promise<Response>(() => {})
    const { bursar } = buyer(purchaseApi(), (request) => {
      if (!paid(request) && request.url.endsWith('/data')) return shop().fetch(request)
      return Promise.race([
        never(),
        new Promise<Response>((_, reject) =>
          request.signal.addEventListener('abort', () => reject(request.signal.reason)),
        ),
      ])
    })
    const before = await errorOf(bursar.fetch('https://shop.example/slow', {}, { timeoutMs: 20 }))
    expect(before).toMatchObject({ name: 'TimeoutError', message: 'https://shop.example did not reply within 0.02 s' })
    const after = await errorOf(bursar.fetch('https://shop.example/data', {}, { timeoutMs: 20 }))
    expect(after).toMatchObject({ name: 'BursarOutcomeUnknown', payment: { id: 'pay_1' } })
    const stop = new AbortController()
    const aborted = errorOf(bursar.fetch('https://shop.example/slow', { signal: stop.signal }))
    stop.abort(new Error('enough'))
    expect(await aborted).toMatchObject({ message: 'enough' })
  })
})
