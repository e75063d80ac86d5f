/** POST /v1/x402-payments over HTTP: an agent with nothing but its API key buys from an unmodified seller. */
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import { until } from '../../local/client.ts'
import { startSeller } from '../support/seller.ts'
import { addressFor, chainReader, pause } from '../support/stackClient.ts'
import { bursar, createAgent, rpcUrl, url, usdc } from './gateway.ts'

const shop = addressFor('a shop')
const seller = await startSeller({
  rpcUrl,
  usdc,
  payTo: shop,
  prices: { '/data': 280_000, '/dear': 1_500_000, '/cent': 50_000 },
})
afterAll(() => seller.stop())
const agent = await createAgent({ scopes: ['x402_payments:write'], purchaseAllowance: 20 })
const chain = chainReader(rpcUrl, usdc)

type Reply = {
  id: string
  status: string
  code?: string
  field?: string
  budget: { held: string; spent: string }
  tx_hash: string | null
  receipt: object | null
  x402: { header: string; payload: object; valid_before: number } | null
}

async function call(
  method: string,
  path: string,
  body?: object,
  key: string = randomUUID(),
  apiKey: string = agent.apiKey,
) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'idempotency-key': key,
    ...(body && { 'content-type': 'application/json' }),
  }
  const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: reply.status, body: (await reply.json()) as Reply }
}

const challengeOf = async (path: string) =>
  (await fetch(`${seller.url}${path}`)).headers.get('PAYMENT-REQUIRED') ?? 'no challenge'

const purchaseOf = async (path: string) => ({
  resource: `${seller.url}${path}`,
  payment_required: await challengeOf(path),
})
const buy = async (path: string, over: object = {}, key?: string) =>
  call('POST', '/v1/x402-payments', { ...(await purchaseOf(path)), ...over }, key)

test('an agent buys from a seller, once per key, and its budget shows it @x402-50', async () => {
  const before = await chain.balanceOf(shop)
  const dryRun = async (over: object) =>
    call('POST', '/v1/x402-payments/check', { ...(await purchaseOf('/data')), ...over })
  expect(await dryRun({})).toMatchObject({
    status: 200,
    body: { allowed: true, amount: '0.28', budget: { held: '0' } },
  })
  expect(await dryRun({ max_amount: '0.1' })).toMatchObject({ status: 422, body: { code: 'max_amount_exceeded' } })
  const bought = await buy('/data', {}, 'first')
  expect(bought).toMatchObject({ status: 201, body: { status: 'PROCESSING', budget: { held: '0.28' } } })
  const { header, valid_before } = bought.body.x402!
  expect(valid_before * 1000).toBeGreaterThan(Date.now())
  expect((await buy('/data', {}, 'first')).body.x402!.header, 'the same signature').toBe(header)
  const served = await fetch(`${seller.url}/data`, { headers: { 'PAYMENT-SIGNATURE': header } })
  expect([served.status, await served.text()]).toEqual([200, 'paid /data'])
  expect((await chain.balanceOf(shop)) - before).toBe(280_000n)
  const receipt = { payment_response: served.headers.get('PAYMENT-RESPONSE'), served: true }
  expect((await call('POST', `/v1/x402-payments/${bought.body.id}/receipt`, receipt)).status).toBe(200)
  let now = await call('GET', `/v1/payments/${bought.body.id}`)
  for (let i = 0; i < 100 && now.body.status === 'PROCESSING'; i++) {
    await pause(200)
    now = await call('GET', `/v1/payments/${bought.body.id}`)
  }
  expect(now.body).toMatchObject({ status: 'CONFIRMED', budget: { held: '0', spent: '0.28' }, receipt })
  expect(now.body.tx_hash).toMatch(/^0x/)
  expect((await buy('/data', {}, 'first')).body).toMatchObject({ status: 'CONFIRMED', x402: null })
})

test('what cannot be bought names the input, and debits nothing @x402-51', async () => {
  const challenge = JSON.parse(atob(await challengeOf('/data')))
  const offer = challenge.accepts[0]
  const changed = (over: object) => ({ payment_required: { ...challenge, accepts: [{ ...offer, ...over }] } })
  const cases: [object, number, string, string?][] = [
    [{ max_amount: '0.27' }, 422, 'max_amount_exceeded'],
    [changed({ network: 'eip155:1' }), 422, 'unsupported_payment'],
    [changed({ asset: shop }), 422, 'unsupported_payment'],
    [changed({ scheme: 'upto' }), 422, 'unsupported_payment'],
    [changed({ extra: { name: 'USDC', version: '1' } }), 422, 'unsupported_payment'],
    [changed({ amount: '1500000' }), 422, 'unsupported_payment', 'payment_required.accepts'],
    [changed({ payTo: agent.sender.wallet.address }), 400, 'invalid_input', 'payment_required.accepts'],
    [changed({ payTo: `0x${'0'.repeat(40)}` }), 400, 'invalid_input', 'payment_required.accepts'],
    [{ payment_required: { ...challenge, x402Version: 1 } }, 400, 'invalid_input', 'payment_required.x402Version'],
    [
      { payment_required: { ...challenge, accepts: Array(101).fill(offer) } },
      400,
      'invalid_input',
      'payment_required.accepts',
    ],
    [{ payment_required: 'no base64!' }, 400, 'invalid_input', 'payment_required'],
    [{ resource: 'http://10.0.0.1/data' }, 400, 'invalid_input', 'resource'],
    [{ method: 'TRACE' }, 400, 'invalid_input', 'method'],
  ]
  for (const [over, status, code, field] of cases)
    expect(await buy('/data', over), JSON.stringify(over).slice(0, 100)).toMatchObject({
      status,
      body: { code, ...(field && { errors: [expect.objectContaining({ pointer: expect.any(String) })] }) },
    })
  expect(await buy('/dear'), 'above 1 USDC').toMatchObject({ status: 422, body: { code: 'unsupported_payment' } })
})

test('200 calls at once over x402, REST and MCP: exactly the budget is accepted, and purchases stay within their limit @x402-52', async () => {
  const racer = await createAgent({
    ...{ scopes: ['x402_payments:write', 'address_payments:write'], purchaseAllowance: 20, limit: 5, funds: '30' },
  })
  const purchase = await purchaseOf('/cent')
  const send = { to: { type: 'address', address: addressFor('race') }, amount: '0.05' }
  const headers = (key: string) => ({
    ...{ authorization: `Bearer ${racer.apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
  })
  const post = async (path: string, body: object) =>
    (await fetch(`${url}${path}`, { method: 'POST', headers: headers(randomUUID()), body: JSON.stringify(body) }))
      .status
  const tool = async (name: string, given: object) => {
    const params = { name, arguments: { ...given, idempotency_key: randomUUID() } }
    const reply = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers(''), accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    const text = await reply.text()
    const { result } = JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}'))
    return result && !result.isError ? 201 : 403
  }
  const ways = [
    () => post('/v1/x402-payments', purchase),
    () => post('/v1/payments', send),
    () => tool('pay_x402', purchase),
    () => tool('pay_address', { address: send.to.address, amount: send.amount }),
  ]
  const statuses = await Promise.all(Array.from({ length: 200 }, (_, i) => ways[i % ways.length]!()))
  const accepted = (of: number[]) =>
    statuses.filter((status, i) => status === 201 && of.includes(i % ways.length)).length
  expect(accepted([0, 1, 2, 3]), '100 × 0.05 is the budget of 5').toBe(100)
  const bought = accepted([0, 2])
  expect(bought, 'a quarter of its session’s 60 of up to 0.1 USDC').toBeLessThanOrEqual(15)
  const { budget } = (await (await fetch(`${url}/v1/context`, { headers: headers('') })).json()) as {
    budget: { spent: string; held: string; remaining: string }
  }
  expect(budget.remaining).toBe('0')
  expect(Number(budget.spent) + Number(budget.held)).toBe(5)
})

test('a used-up class is renewed by Bursar, and sends have as much left as before @x402-53', async () => {
  // A purchase of 0.28 needs one of 60 % of 3 USDC by 1 USDC: there is one.
  const small = await createAgent({ scopes: ['x402_payments:write'], purchaseAllowance: 3 })
  const { token, wallet } = small.sender
  const sessionKey = async () =>
    bursar.api<SessionKeyInfo>(`/wallets/smart-wallets-v2/${wallet.id}/session-key`, { token: await token() })
  const before = await sessionKey()
  for (let i = 0; i < 3; i++) {
    const key = randomUUID()
    const bought = await until('a purchase', async () => {
      const { status, body } = await call('POST', '/v1/x402-payments', await purchaseOf('/data'), key, small.apiKey)
      if (status === 201) return body
      expect([body.code, body.status]).toContain(body.code ? 'purchases_used_up' : 'QUEUED')
      return null
    })
    const header = { headers: { 'PAYMENT-SIGNATURE': bought.x402!.header } }
    expect((await fetch(`${seller.url}/data`, header)).status).toBe(200)
    const receipt = { payment_response: null, served: true }
    await call('POST', `/v1/x402-payments/${bought.id}/receipt`, receipt, randomUUID(), small.apiKey)
  }
  const after = await sessionKey()
  const grantOf = ({ spendingLimit, purchaseAllowance, validUntil, spentAmount }: SessionKeyInfo) => [
    spendingLimit,
    purchaseAllowance,
    validUntil,
    spentAmount,
  ]
  expect(grantOf(after)).toEqual(grantOf(before))
  expect(after.address).not.toBe(before.address)
})
