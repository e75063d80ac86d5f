/**
 * The replies in sdk/vectors.json are those of the real server. `RECORD_VECTORS=1 npx vitest run --project gateway
 * tests/gateway/sdkVectors.test.ts` records them; otherwise each is compared with a new one.
 */
import { afterAll, expect, test } from 'vitest'
import type { CreatedWebhook } from '#schemas/webhook.ts'
import { within } from '../support/patience.ts'
import { startShop } from '../support/shop.ts'
import { addressFor } from '../support/stackClient.ts'
import {
  type JsonObject,
  type RecordedReply,
  type RecordedWebhook,
  readVectors,
  writeVectors,
} from '../support/vectors.ts'
import { startReceiver } from '../support/webhookServer.ts'
import { createAgent, bursar as owner, rpcUrl, url, usdc } from './gateway.ts'

const scopes = ['address_payments:write', 'email_payments:write', 'x402_payments:write', 'payout_runs:prepare']
const agent = await createAgent({ scopes, purchaseAllowance: 5, rules: { approveAbove: '5' } })
const [shop, receiver] = await Promise.all([startShop({ rpcUrl, usdc }), startReceiver()])
afterAll(() => Promise.all([shop.stop(), receiver.stop()]))

const kept = ['content-type', 'retry-after', 'idempotent-replayed', 'location']
const to = { type: 'address', address: addressFor('vectors') }
type Call = { method?: string; key?: string; body?: unknown; token?: string; form?: Record<string, string> }

async function call(
  path: string,
  { method, key, body, form, token = agent.apiKey }: Call = {},
): Promise<RecordedReply> {
  const reply = await fetch(`${url}${path}`, {
    method: method ?? (body || form ? 'POST' : 'GET'),
    headers: {
      ...(!form && { authorization: `Bearer ${token}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : form ? { body: new URLSearchParams(form) } : {}),
  })
  const headers = Object.fromEntries([...reply.headers].filter(([name]) => kept.includes(name)))
  return { status: reply.status, headers, body: (await reply.json()) as JsonObject }
}
const pay = (key: string, over: object = {}) => call('/v1/payments', { key, body: { to, amount: '1.5', ...over } })
const oauth = (clientSecret: string) =>
  call('/oauth/token', {
    form: { grant_type: 'client_credentials', client_id: agent.clientId, client_secret: clientSecret },
  })

async function until(id: string, status: string): Promise<RecordedReply> {
  let reply = await call(`/v1/payments/${id}`)
  while (reply.body.status !== status) reply = await call(`/v1/payments/${id}`)
  return reply
}

async function recordReplies() {
  const created = await pay('vectors-1', { reference: 'vectors' })
  const payout = await pay('vectors-2', { to: { type: 'email', email: 'ada@bursar.test' }, amount: '0.5' })
  const asked = await pay('vectors-3', { amount: '6', reference: 'vectors' })
  const cancel = (id: unknown) => call(`/v1/payments/${id}/cancel`, { method: 'POST' })
  const purchase = shop.requestOf(addressFor('vectors shop'), 10_000n)
  const bought = await call('/v1/x402-payments', { key: 'vectors-4', body: purchase })
  const budgetRequest = await call('/v1/budget-requests', { key: 'vectors-5', body: { amount: '50', reason: 'More' } })
  const rows = [
    { to: to.address, amount: '1.5', reference: 'V-1' },
    { to: 'ada@bursar.test', amount: '1,5', reference: 'V-2' },
  ]
  const prepare = (key: string, over: object = {}) =>
    call('/v1/runs', { key, body: { title: 'Vectors', rows, ...over } })
  const run = await prepare('vectors-9')
  const secondPage = await call('/v1/payments?reference=vectors&limit=1')
  return {
    created,
    replayed: await pay('vectors-1', { reference: 'vectors' }),
    confirmed: await until(String(created.body.id), 'CONFIRMED'),
    sent: await until(String(payout.body.id), 'PENDING'),
    asked,
    cancelled: await cancel(asked.body.id),
    too_late: await cancel(created.body.id),
    over_budget: await pay('vectors-6', { amount: '500' }),
    key_reused: await pay('vectors-1', { amount: '2' }),
    invalid: await pay('vectors-7', { amount: '1.2345678' }),
    not_found: await call('/v1/payments/pay_000000000000000000000'),
    unauthenticated: await call('/v1/context', { token: 'bk_unknown' }),
    first_page: secondPage,
    last_page: await call(`/v1/payments?reference=vectors&limit=1&cursor=${secondPage.body.next_cursor}`),
    context: await call('/v1/context'),
    check: await call('/v1/payments/check', { body: { to, amount: '1' } }),
    check_refused: await call('/v1/payments/check', { body: { to, amount: '500' } }),
    budget_request: budgetRequest,
    budget_request_read: await call(`/v1/budget-requests/${budgetRequest.body.id}`),
    bought,
    bought_too_dear: await call('/v1/x402-payments', { key: 'vectors-8', body: { ...purchase, max_amount: '0.001' } }),
    purchase_check: await call('/v1/x402-payments/check', { body: purchase }),
    receipt: await call(`/v1/x402-payments/${bought.body.id}/receipt`, {
      body: { payment_response: null, served: true },
    }),
    run,
    run_replayed: await prepare('vectors-9'),
    run_read: await call(`/v1/runs/${run.body.id}`),
    same_run: await prepare('vectors-10'),
    token: await oauth(agent.clientSecret),
    unknown_client: await oauth('wrong'),
  }
}

/** Payments and requests get short names, and the access token goes. */
function named<T>(value: T): T {
  const names = new Map<string, string>()
  const text = JSON.stringify(value)
    .replaceAll(/"access_token":"[^"]+"/g, '"access_token":"access-token"')
    .replaceAll(/\b(pay|apr|bud|req|run)_[0-9a-z]{9,}\b/g, (id, kind: string) => {
      const known = names.get(id) ?? `${kind}_${[...names.keys()].filter((each) => each.startsWith(kind)).length + 1}`
      names.set(id, known)
      return known
    })
  return JSON.parse(text) as T
}

/** The fields and their types. Null fits every type, and an empty list every list. */
function differences(recorded: unknown, now: unknown, path: string): string[] {
  if (recorded === null || now === null) return []
  if (typeof recorded !== typeof now || Array.isArray(recorded) !== Array.isArray(now)) return [`${path}: another type`]
  if (typeof recorded !== 'object') return []
  if (Array.isArray(recorded)) {
    const [first, second] = [recorded[0], (now as unknown[])[0]]
    return first === undefined || second === undefined ? [] : differences(first, second, `${path}[]`)
  }
  const [before, after] = [recorded as JsonObject, now as JsonObject]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) =>
    name in before && name in after
      ? differences(before[name], after[name], `${path}.${name}`)
      : [`${path}.${name}: only ${name in before ? 'recorded' : 'in the new reply'}`],
  )
}

test('each recorded reply is the one that the server gives now @vectors-1', async () => {
  const hook = await owner.api<CreatedWebhook>('/webhooks', {
    token: await agent.sender.token(),
    body: { url: receiver.url, events: ['*'], password: agent.sender.password },
  })
  const replies = named<Record<string, RecordedReply>>(await recordReplies())
  const find = () => receiver.received.find(({ type }) => type === 'payment.confirmed')
  await expect.poll(find, within(20_000)).toBeDefined()
  const { body, headers } = find()!
  const signed = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')))
  const webhooks = { 'payment.confirmed': { secret: hook.secret, headers: signed, body } as RecordedWebhook }
  if (process.env.RECORD_VECTORS) writeVectors({ ...readVectors(), replies, webhooks })
  const recorded = readVectors()
  expect(Object.keys(recorded.replies)).toEqual(Object.keys(replies))
  for (const [name, reply] of Object.entries(replies)) {
    const { status, headers, body } = recorded.replies[name]!
    expect({ name, status, headers }).toEqual({ name, status: reply.status, headers: reply.headers })
    expect(differences(body, reply.body, name)).toEqual([])
  }
  const before = recorded.webhooks['payment.confirmed']!
  expect(Object.keys(before.headers)).toEqual(Object.keys(signed))
  expect(differences(JSON.parse(before.body), JSON.parse(body), 'payment.confirmed')).toEqual([])
})
