import { beforeAll, expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import { createApp } from '../../worker/app.ts'
import { accessSettings } from '../support/accessStandIn.ts'
import { type AccountFixture, createAccountFixture } from '../support/accountFixture.ts'
import { createConnectingApp } from '../support/connectingApp.ts'
import { hash } from '../support/hash.ts'
import { fresh, prepare } from '../support/payer.ts'
import { waitingRun } from '../support/waitingRun.ts'
import { party } from '../support/workerChain.ts'
import { type Api, createApi, env, seed } from './apiClient.ts'

/**
 * I10: what belongs to another user is not found. Every route that takes an id has a row here, checked against the app's
 * own route list: a new route without a row fails. Ann's real ids are requested by Bob, Bob's agent, a claimant and an
 * anonymous caller.
 */
type Ids = {
  /** Bob's wallet. */
  own: string
  user: string
  wallet: string
  walletAddress: string
  group: string
  agent: string
  contact: string
  payment: string
  agentPayment: string
  payout: string
  approval: string
  paymentToApprove: string
  grant: string
  budgetRequest: string
  webhook: string
  member: string
  run: string
  connection: string
  connectionRequest: string
  delivery: string
}

const address = party('somebody').address
/**
 * A request, with one of Ann's ids for each `{x}` in its path and body. `{own}` is Bob's own wallet, so that only the other
 * id of a body is foreign.
 */
type Row = [request: string, body?: object]
const rows: Row[] = [
  ['GET /api/users/{user}'],
  ['PATCH /api/users/{user}', { name: 'Mallory' }],
  ['POST /api/users/{user}/public-address/nonce'],
  ['PATCH /api/users/{user}/public-address', { publicAddress: null }],
  [
    'PATCH /api/users/{user}/change-password',
    { currentPassword: 'correct horse battery', newPassword: 'another horse battery' },
  ],
  ['GET /api/contacts/{contact}'],
  ['GET /api/contacts/{contact}/groups'],
  ['PUT /api/contacts/{contact}', { name: 'Mallory', address }],
  ['DELETE /api/contacts/{contact}'],
  ['POST /api/contacts/{contact}/restore'],
  ['GET /api/contacts/balances?ids={contact}'],
  ['POST /api/contacts', { userId: '{user}', name: 'Mallory', address }],
  ['GET /api/contacts?userId={user}'],
  ['GET /api/wallets/smart-wallets-v2/{wallet}/session-key'],
  ['POST /api/wallets/smart-wallets-v2/{wallet}/rotate-session-key', { spendingLimit: '1000000', ttlHours: 1 }],
  ['POST /api/wallets/smart-wallets-v2/{wallet}/session-offers', { spendingLimit: '1000000', ttlHours: 1 }],
  ['GET /api/wallets/smart-wallets-v2/{wallet}/owner-signing-context'],
  [
    'POST /api/wallets/smart-wallets-v2/{wallet}/owner-actions',
    { kind: 'revokeSession', ownerNonce: '0', deadline: 1, signature: `0x${'11'.repeat(65)}` },
  ],
  ['PUT /api/wallets/{wallet}', { name: 'Mallory' }],
  ['DELETE /api/wallets/{wallet}'],
  ['POST /api/wallets/{wallet}/private-key', { masterPassword: 'guess' }],
  [
    'POST /api/wallets/with-private-key',
    {
      address,
      chain: 'base',
      policyGroupId: '{group}',
      privateKey: party('somebody').key,
      masterPassword: 'a master password',
    },
  ],
  ['GET /api/wallets/{wallet}/usdc-balance'],
  ['GET /api/wallets/{wallet}/ledger'],
  ['POST /api/policy-groups', { name: 'G', scopes: [], walletId: '{wallet}' }],
  ['POST /api/policy-groups', { name: 'G', scopes: [], walletId: '{own}', whitelistedContactIds: ['{contact}'] }],
  ['GET /api/policy-groups/{group}'],
  ['GET /api/policy-groups/{group}/whitelist'],
  ['PUT /api/policy-groups/{group}', { name: 'Mallory', scopes: [] }],
  ['POST /api/policy-groups/{group}/top-up', { amount: '1' }],
  ['GET /api/policy-groups/{group}/budget-history'],
  ['GET /api/usage/spending?wallet={wallet}'],
  ['GET /api/usage/agents/{agent}'],
  ['DELETE /api/policy-groups/{group}/cascade'],
  ['POST /api/policy-groups/{group}/pause'],
  ['POST /api/policy-groups/{group}/replay', { candidate: {} }],
  ['POST /api/policy-groups/{group}/resume'],
  ['POST /api/policy-groups/{group}/contacts/{contact}/confirm', { address, email: null, phone: null }],
  ['PUT /api/agents/{agent}', { name: 'Mallory' }],
  ['DELETE /api/agents/{agent}'],
  ['POST /api/agents/{agent}/regenerate-api-key'],
  ['POST /api/agents/{agent}/regenerate-credentials'],
  ['POST /api/agents/{agent}/pause'],
  ['POST /api/agents/{agent}/resume'],
  ['GET /api/agents/{agent}/refusals'],
  ['POST /api/agents/{agent}/check', { to: { type: 'address', address }, amount: '1' }],
  ['POST /api/wallets/{wallet}/pause'],
  ['POST /api/wallets/{wallet}/resume'],
  ['POST /api/agents', { name: 'A', policyGroupId: '{group}' }],
  ['POST /api/transactions/send', { walletId: '{wallet}', toAddress: address, amount: '1' }],
  ['POST /api/transactions/send', { walletId: '{own}', toAddress: address, amount: '1', contactId: '{contact}' }],
  ['GET /api/transactions/{payment}'],
  ['POST /api/escrow/create', { sourceWalletId: '{wallet}', amount: '1', recipientEmail: 'x@example.com' }],
  [
    'POST /api/escrow/create',
    { sourceWalletId: '{own}', amount: '1', recipientEmail: 'x@example.com', contactId: '{contact}' },
  ],
  [
    'POST /api/onramp/session',
    {
      destinationAddress: '{walletAddress}',
      blockchains: ['base'],
      assets: ['USDC'],
      presetFiatAmount: '50',
      redirectUrl: `${env.APP_ORIGIN}/dashboard?onramp=success`,
    },
  ],
  ['GET /api/escrow/{payout}'],
  ['POST /api/policy-groups/{group}/confirm', { version: 1 }],
  ['POST /api/runs', { title: 'Run', walletId: '{wallet}', csv: `to,amount\n${address},1` }],
  ['POST /api/runs', { title: 'Run', walletId: '{own}', failedOf: '{run}' }],
  ['GET /api/runs/{run}'],
  ['GET /api/runs/{run}/rows'],
  ['GET /api/runs/{run}/export'],
  ['POST /api/runs/{run}/submit'],
  ['POST /api/runs/{run}/approve', { hash: '0'.repeat(64) }],
  ['POST /api/runs/{run}/deny', { hash: '0'.repeat(64) }],
  ['POST /api/runs/{run}/stop'],
  ['POST /api/runs/{run}/repeat', { repeat: null }],
  ['PATCH /api/people/{member}', { role: 'viewer' }],
  ['DELETE /api/people/{member}'],
  ['PATCH /api/webhooks/{webhook}', { enabled: false }],
  ['DELETE /api/webhooks/{webhook}'],
  ['POST /api/webhooks/{webhook}/rotate-secret'],
  ['POST /api/webhooks/{webhook}/test'],
  ['GET /api/webhooks/{webhook}/deliveries'],
  ['POST /api/webhooks/{webhook}/deliveries/{delivery}/replay'],
  ['GET /api/escrow/{payout}/link'],
  ['POST /api/escrow/{payout}/resend'],
  ['POST /api/escrow/{payout}/reclaim'],
  ['DELETE /api/connections/{connection}'],
  ['GET /api/connections/requests/{connectionRequest}'],
  [
    'POST /api/connections/requests/{connectionRequest}/allow',
    { agent: { type: 'new', name: 'M', policyGroup: { type: 'existing', policyGroupId: '{group}' } } },
  ],
  ['POST /api/connections/requests/{connectionRequest}/deny'],
  ['GET /v1/payments/{payment}'],
  ['GET /v1/payments/{agentPayment}'],
  ['POST /v1/payments', { to: { type: 'contact', contactId: '{contact}' }, amount: '1' }],
  ['POST /v1/payments/{agentPayment}/cancel'],
  ['POST /v1/x402-payments/{agentPayment}/receipt', { payment_response: null, served: true }],
  ['GET /api/approvals/{approval}'],
  ['POST /api/approvals/{approval}/approve', { hash: '0'.repeat(64) }],
  ['POST /api/approvals/{approval}/deny', { hash: '0'.repeat(64) }],
  ['POST /api/grants/{grant}/end'],
  ['GET /api/transactions/{paymentToApprove}'],
  ['GET /v1/payments/{paymentToApprove}'],
  ['POST /v1/payments/{paymentToApprove}/cancel'],
  ['GET /v1/budget-requests/{budgetRequest}'],
  ['GET /v1/runs/{run}'],
  ['POST /v1/payments/check', { to: { type: 'contact', contactId: '{contact}' }, amount: '1' }],
]

/** Routes without ids: public, about the caller only, or with a secret that is itself the permission (links, codes). */
const routesWithoutIds = new Set([
  'POST /api/contacts/names',
  'GET /api/health',
  'GET /api/ready',
  'GET /api/config',
  'POST /api/auth/cognito/login',
  'POST /api/auth/cognito/new-password',
  'POST /api/auth/cognito/refresh',
  'POST /api/auth/cognito/sign-out',
  'POST /api/auth/cognito/signup',
  'POST /api/auth/cognito/confirm',
  'POST /api/auth/cognito/confirm-link',
  'POST /api/auth/cognito/resend-code',
  'POST /api/auth/cognito/forgot-password',
  'POST /api/auth/cognito/reset-password',
  'POST /api/auth/cognito/reset-password-link',
  'POST /api/login',
  'POST /api/users',
  'POST /api/users/complete-onboarding',
  'GET /api/wallets',
  'POST /api/wallets/smart-wallets-v2/deploy',
  'GET /api/policy-groups',
  'GET /api/policy-groups/with-agents',
  'GET /api/agents',
  'GET /api/account',
  'POST /api/account/pause',
  'POST /api/account/resume',
  // Filters take ids but only search the caller's rows: tests/worker/lists.test.ts, tests/worker/contacts.test.ts.
  'GET /api/contacts/matches',
  'GET /api/transactions/user',
  'GET /api/transactions/export',
  'GET /api/transactions/books',
  'POST /api/transactions/recipient-check',
  'GET /api/approvals',
  'GET /api/notices',
  'GET /api/notices/count',
  'POST /api/notices/read',
  'GET /api/grants',
  'GET /api/approval-settings',
  'PUT /api/approval-settings',
  'POST /v1/budget-requests',
  'GET /api/escrow/list',
  'GET /api/escrow/export',
  'POST /api/escrow/reclaim-all',
  'GET /api/changes',
  'GET /api/changes/export',
  'POST /api/changes/end',
  'GET /api/webhooks',
  'POST /api/webhooks',
  'GET /api/runs',
  'GET /api/people',
  'POST /api/people',
  'GET /api/people/accounts',
  'POST /api/people/invitation',
  'POST /api/people/join',
  'POST /api/people/leave',
  'PUT /api/people/second-person',
  'GET /api/connections',
  'POST /api/connections/device',
  'GET /api/overview',
  'GET /api/overview/balance',
  'GET /api/usage/dashboard',
  'GET /api/usage/recipients',
  'GET /api/usage/refusals',
  'GET /api/preferences',
  'PUT /api/preferences',
  'GET /api/push/key',
  'POST /api/push/subscriptions',
  'DELETE /api/push/subscriptions',
  'POST /api/push/test',
  'GET /api/account/handed-out',
  'GET /api/audit',
  'GET /api/audit/export',
  'GET /api/escrow/claim/:accessToken',
  'POST /api/escrow/verify-passcode',
  'POST /api/escrow/resend-passcode',
  'POST /api/escrow/receipt',
  'POST /api/escrow/send-on',
  'GET /api/escrow/send-on/:accessToken',
  'GET /api/escrow/kept-balance/:accessToken',
  'POST /api/escrow/claim',
  'GET /v1/payments',
  // The id that it may replace: tests/worker/agentRuns.test.ts.
  'POST /v1/runs',
  'POST /v1/x402-payments',
  'POST /v1/x402-payments/check',
  'GET /v1/context',
  // Ids are in its messages: tests/worker/mcpTools.test.ts.
  'POST /mcp',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'POST /oauth/introspect',
  'GET /oauth/authorize',
  'POST /oauth/register',
  'POST /oauth/device',
  // Signed by vendors, and about messages: tests/worker/deliveryReports.test.ts.
  'POST /delivery-reports/:vendor',
  'GET /openapi.json',
  'GET /docs',
  'GET /.well-known/jwks.json',
  'GET /.well-known/passkey-endpoints',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/v1',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/oauth-authorization-server',
  'GET /dev/inbox',
  'POST /dev/faucet',
  'GET /dev/beta',
  'GET /dev/onramp',
  'POST /dev/onramp',
  'POST /dev/rpc/:chainId',
  'GET /dev/tx/:hash',
  'GET /dev/address/:address',
])

let api: Api
let ids: Ids
let bob: { token: string; apiKey: string; id: string }
let claimSession = ''

beforeAll(async () => {
  await seed()
  await prepare()
  // With a Coinbase key, so that the on-ramp is available.
  api = createApi({ COINBASE_ONRAMP_KEY_ID: 'key', COINBASE_ONRAMP_KEY_SECRET: 'secret', ...accessSettings })
  api.clock.now = Date.now()
  const own = await createAccountFixture(api)
  const sent = await own.send()
  const payout = await own.createPayout()
  const paid = await own.pay({ to: { type: 'address', address: fresh('y') }, amount: '1' })
  expect([sent.status, paid.status], paid.text).toEqual([201, 201])
  const asked = await askOwner(own)
  const invitation = { email: 'dan@bursar.test', role: 'approver', password: 'correct horse battery' }
  const invited = await own.asOwner('POST', '/people', invitation)
  const hook = await own.asOwner('POST', '/webhooks', {
    url: 'https://hooks.example.com/ann',
    events: ['payment.confirmed'],
    password: 'correct horse battery',
  })
  expect(hook.status, hook.text).toBe(201)
  const theirs = await createAccountFixture(api)
  bob = { token: theirs.token, apiKey: theirs.apiKey, id: theirs.user }
  ids = {
    ...own,
    ...asked,
    own: theirs.wallet,
    webhook: hook.json.data.id,
    member: invited.json.data.id,
    run: (await waitingRun(own, [{ to: fresh('run'), amount: '1' }])).id,
    ...(await connect(own)),
    delivery: 'evt_1',
    payment: sent.json.data.id,
    payout: payout.id,
    agentPayment: paid.json.id,
  }
  const { link, passcode } = payout
  const verified = await api.call('POST', '/api/escrow/verify-passcode', { body: { accessToken: link, passcode } })
  claimSession = verified.json.data.sessionToken
  // All ids are real: Ann herself gets 200.
  for (const path of [
    `/api/transactions/${ids.payment}`,
    `/api/escrow/${ids.payout}`,
    `/api/wallets/${ids.wallet}/ledger`,
    `/api/contacts/${ids.contact}`,
    `/api/webhooks/${ids.webhook}/deliveries`,
    `/api/users/${ids.user}`,
    `/api/approvals/${ids.approval}`,
    `/api/runs/${ids.run}`,
    `/api/transactions/${ids.paymentToApprove}`,
  ])
    expect((await api.call('GET', path, { token: own.token })).status, path).toBe(200)
})

/** Connects an app, and opens another request. */
async function connect(own: AccountFixture) {
  const app = await createConnectingApp(api, own)
  const { connection } = await app.connect()
  const connectionRequest = await app.ask()
  expect((await own.asOwner('GET', `/connections/requests/${connectionRequest}`)).status).toBe(200)
  return { connection, connectionRequest }
}

/** Creates an open approval, a grant and a budget request. */
async function askOwner(own: AccountFixture) {
  const as = (token: string, body: unknown) => ({ token, body, headers: { 'idempotency-key': crypto.randomUUID() } })
  const { json: group } = await own.asOwner('GET', '/policy-groups')
  const { name, scopes } = group.data[0]
  const rules = { name, scopes, approveAbove: '1.5' }
  await own.asOwner('PUT', `/policy-groups/${own.group}`, rules)
  const ask = async () => {
    const to = { type: 'address', address: fresh('z') }
    const { status, json } = await api.call('POST', '/v1/payments', as(own.apiKey, { to, amount: '2' }))
    expect(status).toBe(202)
    return json
  }
  const [first, second] = [await ask(), await ask()]
  const { json: shown } = await own.asOwner('GET', `/approvals/${first.approval.id}`)
  const grant = { amount: '5', endsAt: new Date(api.clock.now + hourMs).toISOString() }
  const decision = as(own.token, { hash: shown.data.hash, grant })
  const { json: approved } = await api.call('POST', `/api/approvals/${first.approval.id}/approve`, decision)
  const { json: request } = await api.call('POST', '/v1/budget-requests', as(own.apiKey, { amount: '3' }))
  return {
    approval: second.approval.id as string,
    paymentToApprove: second.id as string,
    grant: approved.data.grantId as string,
    budgetRequest: request.id as string,
  }
}

const needsBody = (method: string) => method !== 'GET' && method !== 'DELETE'
const isOperators = (path: string) => /^\/ops(\/|$)/.test(path)

/** A dry run returns the refusal that a payment would get. */
const codeOf = (json: { code?: string; refusal?: { code: string } } | null) => json?.refusal?.code ?? json?.code

const fill = (text: string) =>
  text.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in ids)) throw new Error(`no such id: ${name}`)
    return ids[name as keyof Ids]
  })

/** The app's routes and those with a row, `METHOD /path/:id`. */
const routes = createApp()
  .routes.filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
  .map(({ method, path }) => ({ method, path: path.replace(/(.)\/$/, '$1') }))
// Rows of operators' routes are generated from the routes, below.
const ordinaryRoutes = routes.filter(({ path }) => !isOperators(path)).map(({ method, path }) => `${method} ${path}`)
const routeOf = (request: string) => {
  const [wanted] = request.replace(/\{\w+\}/g, ':id').split('?')
  return ordinaryRoutes.find((route) => route.replace(/:\w+/g, ':id') === wanted) ?? `no route: ${request}`
}

test('every route has a row or takes no id @foreign-ids-1', () => {
  const known = new Set([...routesWithoutIds, ...rows.map(([request]) => routeOf(request))])
  expect([...new Set(ordinaryRoutes)].filter((route) => !known.has(route))).toEqual([])
  expect(
    [...known].filter((route) => !ordinaryRoutes.includes(route)),
    'rows of routes that are gone',
  ).toEqual([])
})

test.each(rows.map(([request, given], i) => ({ request, given, name: `${routeOf(request)} #${i}` })))(
  '$name: a foreign id is not found @foreign-ids-2',
  async ({ request, given }) => {
    const [method, path] = fill(request).split(' ') as [string, string]
    const body = given ? JSON.parse(fill(JSON.stringify(given))) : needsBody(method) ? {} : undefined
    const before = await hash(env, ids.user)
    const isV1 = path.startsWith('/v1')
    const ask = (token?: string, headers: Record<string, string> = {}) =>
      api.call(method, path, {
        ...(token ? { token } : {}),
        headers: { 'idempotency-key': `foreign-${Math.random()}`, ...headers },
        ...(body === undefined ? {} : { body }),
      })

    const asBob = await ask(isV1 ? bob.apiKey : bob.token)
    // An agent's payment to a contact is checked against its own whitelist, which lacks that contact.
    const code = request.startsWith('POST /v1/payments') && given ? 'recipient_not_allowed' : 'not_found'
    expect(codeOf(asBob.json), asBob.text).toBe(code)
    const forged = await ask(isV1 ? bob.apiKey : bob.token, { 'x-user-id': ids.user })
    expect([code, 'forbidden'], forged.text).toContain(codeOf(forged.json))
    for (const stranger of [await ask(isV1 ? bob.token : bob.apiKey), await ask(claimSession), await ask()])
      expect(stranger.status, stranger.text).toBe(401)
    expect(await hash(env, ids.user), 'nothing of Ann’s changed').toBe(before)
  },
)

/** Every route under /ops, called with Ann's ids. She is not an operator of her own account either. */
test.each(routes.filter(({ path }) => isOperators(path)))(
  '$method $path is for operators only, whatever id is requested @foreign-ids-3',
  async (route) => {
    const { method } = route
    const path = route.path.replace(':userId', ids.user).replace(':passcodeId', 'x')
    // Every field that any of them needs, so that only the caller is wrong.
    const body = {
      ...{ reason: 'mine', mode: 'all', payout: ids.payout, limits: { gasPerDay: 0 }, before: 1000 },
      ...{ name: 'gasPerDay', value: '0', label: 'x', maxUses: 1, expiresInDays: 1, id: 'x' },
    }
    const before = await hash(env, ids.user)
    const ann = { 'x-user-id': ids.user, origin: env.API_ORIGIN }
    for (const [token, headers] of [
      [bob.token, {}],
      [bob.apiKey, {}],
      [claimSession, {}],
      [bob.token, ann],
      [undefined, { ...ann, 'cf-access-authenticated-user-email': 'olga@bursar.example' }],
      [undefined, { ...ann, cookie: `CF_Authorization=${bob.token}` }],
    ] as const) {
      const reply = await api.call(method, path, {
        headers,
        ...(token && { token }),
        ...(method !== 'GET' && { body }),
      })
      expect(reply.status, reply.text).toBe(401)
      for (const id of [ids.user, ids.payout, ids.payment]) expect(reply.text).not.toContain(id)
    }
    expect(await hash(env, ids.user), 'nothing of Ann’s changed').toBe(before)
    expect(await env.DB.prepare("SELECT count(*) AS n FROM service_stop WHERE mode <> 'none'").first('n')).toBe(0)
  },
)
