/** How many round trips a request waits for: to D1, an object or a node. Each costs a distant caller 100 to 200 ms. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { createApp } from '../../worker/app.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { countCalls } from '../support/countedCalls.ts'
import { joined } from '../support/members.ts'
import { fresh } from '../support/payer.ts'
import { createUser, env } from './apiClient.ts'

/** As in an isolate that has just started, with nothing cached. */
const roundTrips = {
  'claim: open': 1,
  'claim: verify': 1,
  'claim: claim': 1,
  'sign in': 3,
  refresh: 1,
  'pay with an API key': 1,
  'budget with an API key': 1,
  'list of transactions': 1,
  overview: 1,
  /** D1's primary first. */
  'overview of a member': 2,
  'list of a member': 2,
}

/** These make one call only. */
const single = [
  ...(['claim: open', 'claim: verify', 'claim: claim', 'pay with an API key', 'budget with an API key'] as const),
  ...(['list of transactions', 'overview'] as const),
]

const api = await createTestApp()
const own = await createAccountFixture(api)
const member = await joined(api, own, 'viewer')
const payout = await own.createPayout()
const owner = await createUser(api)
await api.call('GET', '/api/users/profile', { token: owner.token })

/** The reply to one request, and its round trips until the reply was complete. */
async function measure(
  method: string,
  path: string,
  options: { token?: string; body?: object; headers?: Record<string, string> } = {},
) {
  const { token, body } = options
  // Entries of the isolate's caches are older than their 30 seconds.
  api.clock.now += 31_000
  const counter = countCalls(env)
  try {
    const context = createExecutionContext()
    const app = createApp({ now: () => api.clock.now })
    const headers = {
      'cf-connecting-ip': '192.0.2.1',
      ...options.headers,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      ...(token && { authorization: `Bearer ${token}` }),
    }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await app.request(`http://localhost:3001${path}`, init, counter.env, context)
    const text = await response.text()
    const trips = counter.roundTrips()
    await waitOnExecutionContext(context)
    expect(response.status, text).toBeLessThan(300)
    return { trips, data: JSON.parse(text).data }
  } finally {
    counter.stop()
  }
}

const call = (method: string, path: string, token?: string, body?: object) => () =>
  measure(method, path, { ...(token && { token }), ...(body && { body }) })

const asMember = (path: string) => () =>
  measure('GET', path, { token: member.token, headers: { 'x-account-id': own.user } })

/** In this order, because claiming needs the session of a verified code. */
const requests: Record<keyof typeof roundTrips, () => ReturnType<typeof measure>> = {
  'claim: open': call('GET', `/api/escrow/claim/${payout.link}`),
  'claim: verify': call('POST', '/api/escrow/verify-passcode', undefined, {
    accessToken: payout.link,
    passcode: payout.passcode,
  }),
  'claim: claim': call('POST', '/api/escrow/claim', undefined, {
    accessToken: payout.link,
    recipientAddress: fresh('bob'),
    passcode: payout.passcode,
  }),
  'sign in': call('POST', '/api/auth/cognito/login', undefined, { email: owner.email, password: owner.password }),
  refresh: call('POST', '/api/auth/cognito/refresh', undefined, { refreshToken: owner.refreshToken }),
  'pay with an API key': call('POST', '/v1/payments', own.apiKey, {
    to: { type: 'address', address: fresh('recipient') },
    amount: '1',
  }),
  'budget with an API key': call('GET', '/v1/context', own.apiKey),
  'list of transactions': call('GET', '/api/transactions/user', own.token),
  overview: call('GET', '/api/overview', own.token),
  'overview of a member': asMember('/api/overview'),
  'list of a member': asMember('/api/transactions/user'),
}

test('no request waits for more round trips than this table says @round-trips-1', async () => {
  const found: Record<string, string[]> = {}
  for (const [name, run] of Object.entries(requests)) found[name] = (await run()).trips
  const counts = Object.fromEntries(Object.entries(found).map(([name, trips]) => [name, trips.length]))
  expect(counts, JSON.stringify(found, null, 1)).toEqual(roundTrips)
  // Calls at the same time wait for the slowest of them.
  expect(Object.fromEntries(single.map((name) => [name, found[name]]))).toEqual(
    Object.fromEntries(single.map((name) => [name, [expect.stringMatching(/^[A-Z_]+\.\w+$/)]])),
  )
})
