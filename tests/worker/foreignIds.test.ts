import { beforeAll, expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import { createApp } from '../../worker/app.ts'
import { accessSettings } from '../support/accessStandIn.ts'
import { type AccountFixture, createAccountFixture } from '../support/accountFixture.ts'
import { hash } from '../support/hash.ts'
import { fresh, prepare, until } from '../support/payer.ts'
import { party } from '../support/workerChain.ts'
import { type Api, createApi, env, seed } from './apiClient.ts'

/**
 * I10: what belongs to another user is not found. Every route that takes an id has a row here, checked against the app's
 * own route list: a new route without a row fails. `{x}` is replaced by one of Ann's real ids, requested by Bob, Bob's
 * agent, a claimant and an anonymous caller.
 */
type Row = { route: string; path: string; body?: (ids: Ids) => unknown; agentMay?: true }
type Ids = {
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
  askedPayment: string
  grant: string
  budgetRequest: string
  webhook: string
  delivery: string
}

const address = party('somebody').address
const createOrder = (destinationAddress: string) => ({
  destinationAddress,
  blockchains: ['base'],
  assets: ['USDC'],
  presetFiatAmount: '50',
  redirectUrl: `${env.APP_ORIGIN}/dashboard?onramp=success`,
})
const rows: Row[] = [
  { route: 'GET /api/users/:userId', path: '/api/users/{user}' },
  { route: 'PATCH /api/users/:userId', path: '/api/users/{user}', body: () => ({ name: 'Mallory' }) },
  { route: 'POST /api/users/:userId/public-address/nonce', path: '/api/users/{user}/public-address/nonce' },
  {
    route: 'PATCH /api/users/:userId/public-address',
    path: '/api/users/{user}/public-address',
    body: () => ({ publicAddress: null }),
  },
  {
    route: 'PATCH /api/users/:userId/change-password',
    path: '/api/users/{user}/change-password',
    body: () => ({ currentPassword: 'correct horse battery', newPassword: 'another horse battery' }),
  },
  { route: 'GET /api/contacts/:contactId', path: '/api/contacts/{contact}' },
  {
    route: 'PUT /api/contacts/:contactId',
    path: '/api/contacts/{contact}',
    body: () => ({ name: 'Mallory', address }),
  },
  { route: 'DELETE /api/contacts/:contactId', path: '/api/contacts/{contact}' },
  { route: 'POST /api/contacts/:contactId/restore', path: '/api/contacts/{contact}/restore' },
  { route: 'GET /api/contacts/balances', path: '/api/contacts/balances?ids={contact}' },
  {
    route: 'POST /api/contacts',
    path: '/api/contacts',
    body: ({ user }) => ({ userId: user, name: 'Mallory', address }),
  },
  { route: 'GET /api/contacts', path: '/api/contacts?userId={user}' },
  {
    route: 'GET /api/wallets/smart-wallets-v2/:walletId/session-key',
    path: '/api/wallets/smart-wallets-v2/{wallet}/session-key',
  },
  ...['rotate-session-key', 'session-offers'].map((call) => ({
    route: `POST /api/wallets/smart-wallets-v2/:walletId/${call}`,
    path: `/api/wallets/smart-wallets-v2/{wallet}/${call}`,
    body: () => ({ spendingLimit: '1000000', ttlHours: 1 }),
  })),
  {
    route: 'GET /api/wallets/smart-wallets-v2/:walletId/owner-signing-context',
    path: '/api/wallets/smart-wallets-v2/{wallet}/owner-signing-context',
  },
  {
    route: 'POST /api/wallets/smart-wallets-v2/:walletId/owner-actions',
    path: '/api/wallets/smart-wallets-v2/{wallet}/owner-actions',
    body: () => ({ kind: 'revokeSession', ownerNonce: '0', deadline: 1, signature: `0x${'11'.repeat(65)}` }),
  },
  { route: 'PUT /api/wallets/:walletId', path: '/api/wallets/{wallet}', body: () => ({ name: 'Mallory' }) },
  { route: 'DELETE /api/wallets/:walletId', path: '/api/wallets/{wallet}' },
  {
    route: 'POST /api/wallets/:walletId/private-key',
    path: '/api/wallets/{wallet}/private-key',
    body: () => ({ masterPassword: 'guess' }),
  },
  {
    route: 'POST /api/wallets/with-private-key',
    path: '/api/wallets/with-private-key',
    body: ({ group }) => ({
      address,
      chain: 'base',
      policyGroupId: group,
      privateKey: party('somebody').key,
      masterPassword: 'a master password',
    }),
  },
  { route: 'GET /api/wallets/:walletId/usdc-balance', path: '/api/wallets/{wallet}/usdc-balance' },
  { route: 'GET /api/wallets/:walletId/ledger', path: '/api/wallets/{wallet}/ledger' },
  {
    route: 'POST /api/policy-groups',
    path: '/api/policy-groups',
    body: ({ wallet }) => ({ name: 'G', scopes: [], walletId: wallet }),
  },
  {
    route: 'POST /api/policy-groups',
    path: '/api/policy-groups',
    body: ({ contact }) => ({ name: 'G', scopes: [], walletId: 'own', whitelistedContactIds: [contact] }),
  },
  { route: 'GET /api/policy-groups/:groupId', path: '/api/policy-groups/{group}' },
  {
    route: 'PUT /api/policy-groups/:groupId',
    path: '/api/policy-groups/{group}',
    body: () => ({ name: 'Mallory', scopes: [] }),
  },
  {
    route: 'POST /api/policy-groups/:groupId/top-up',
    path: '/api/policy-groups/{group}/top-up',
    body: () => ({ amount: '1' }),
  },
  {
    route: 'GET /api/policy-groups/:groupId/budget-history',
    path: '/api/policy-groups/{group}/budget-history',
  },
  { route: 'GET /api/usage/spending', path: '/api/usage/spending?wallet={wallet}' },
  { route: 'DELETE /api/policy-groups/:groupId/cascade', path: '/api/policy-groups/{group}/cascade' },
  { route: 'POST /api/policy-groups/:groupId/pause', path: '/api/policy-groups/{group}/pause' },
  { route: 'POST /api/policy-groups/:groupId/resume', path: '/api/policy-groups/{group}/resume' },
  {
    route: 'POST /api/policy-groups/:groupId/contacts/:contactId/confirm',
    path: '/api/policy-groups/{group}/contacts/{contact}/confirm',
    body: () => ({ address, email: null, phone: null }),
  },
  { route: 'PUT /api/agents/:agentId', path: '/api/agents/{agent}', body: () => ({ name: 'Mallory' }) },
  { route: 'DELETE /api/agents/:agentId', path: '/api/agents/{agent}' },
  { route: 'POST /api/agents/:agentId/regenerate-api-key', path: '/api/agents/{agent}/regenerate-api-key' },
  { route: 'POST /api/agents/:agentId/regenerate-credentials', path: '/api/agents/{agent}/regenerate-credentials' },
  { route: 'POST /api/agents/:agentId/pause', path: '/api/agents/{agent}/pause' },
  { route: 'POST /api/agents/:agentId/resume', path: '/api/agents/{agent}/resume' },
  { route: 'GET /api/agents/:agentId/refusals', path: '/api/agents/{agent}/refusals' },
  {
    route: 'POST /api/agents/:agentId/check',
    path: '/api/agents/{agent}/check',
    body: () => ({ to: { type: 'address', address }, amount: '1' }),
  },
  { route: 'POST /api/wallets/:walletId/pause', path: '/api/wallets/{wallet}/pause' },
  { route: 'POST /api/wallets/:walletId/resume', path: '/api/wallets/{wallet}/resume' },
  { route: 'POST /api/agents', path: '/api/agents', body: ({ group }) => ({ name: 'A', policyGroupId: group }) },
  {
    route: 'POST /api/transactions/send',
    path: '/api/transactions/send',
    body: ({ wallet }) => ({ walletId: wallet, toAddress: address, amount: '1' }),
  },
  {
    route: 'POST /api/transactions/send',
    path: '/api/transactions/send',
    body: ({ contact }) => ({ walletId: 'own', toAddress: address, amount: '1', contactId: contact }),
  },
  { route: 'GET /api/transactions/:transactionId', path: '/api/transactions/{payment}' },
  {
    route: 'POST /api/escrow/create',
    path: '/api/escrow/create',
    body: ({ wallet }) => ({ sourceWalletId: wallet, amount: '1', recipientEmail: 'x@example.com' }),
  },
  {
    route: 'POST /api/escrow/create',
    path: '/api/escrow/create',
    body: ({ contact }) => ({
      sourceWalletId: 'own',
      amount: '1',
      recipientEmail: 'x@example.com',
      contactId: contact,
    }),
  },
  {
    route: 'POST /api/onramp/session',
    path: '/api/onramp/session',
    body: ({ walletAddress }) => createOrder(walletAddress),
  },
  { route: 'GET /api/escrow/:escrowId', path: '/api/escrow/{payout}' },
  { route: 'PATCH /api/webhooks/:webhookId', path: '/api/webhooks/{webhook}', body: () => ({ enabled: false }) },
  { route: 'DELETE /api/webhooks/:webhookId', path: '/api/webhooks/{webhook}' },
  { route: 'POST /api/webhooks/:webhookId/rotate-secret', path: '/api/webhooks/{webhook}/rotate-secret' },
  { route: 'POST /api/webhooks/:webhookId/test', path: '/api/webhooks/{webhook}/test' },
  { route: 'GET /api/webhooks/:webhookId/deliveries', path: '/api/webhooks/{webhook}/deliveries' },
  {
    route: 'POST /api/webhooks/:webhookId/deliveries/:deliveryId/replay',
    path: '/api/webhooks/{webhook}/deliveries/{delivery}/replay',
  },
  { route: 'GET /api/escrow/:escrowId/link', path: '/api/escrow/{payout}/link' },
  { route: 'POST /api/escrow/:escrowId/resend', path: '/api/escrow/{payout}/resend' },
  { route: 'POST /api/escrow/:escrowId/reclaim', path: '/api/escrow/{payout}/reclaim' },
  { route: 'GET /v1/payments/:paymentId', path: '/v1/payments/{payment}' },
  { route: 'GET /v1/payments/:paymentId', path: '/v1/payments/{agentPayment}' },
  {
    route: 'POST /v1/payments',
    path: '/v1/payments',
    body: ({ contact }) => ({ to: { type: 'contact', contactId: contact }, amount: '1' }),
  },
  { route: 'POST /v1/payments/:paymentId/cancel', path: '/v1/payments/{agentPayment}/cancel' },
  { route: 'GET /api/approvals/:approvalId', path: '/api/approvals/{approval}' },
  ...['approve', 'deny'].map((decision) => ({
    route: `POST /api/approvals/:approvalId/${decision}`,
    path: `/api/approvals/{approval}/${decision}`,
    body: () => ({ hash: '0'.repeat(64) }),
  })),
  { route: 'POST /api/grants/:grantId/end', path: '/api/grants/{grant}/end' },
  { route: 'GET /api/transactions/:transactionId', path: '/api/transactions/{askedPayment}' },
  { route: 'GET /v1/payments/:paymentId', path: '/v1/payments/{askedPayment}' },
  { route: 'POST /v1/payments/:paymentId/cancel', path: '/v1/payments/{askedPayment}/cancel' },
  { route: 'GET /v1/budget-requests/:requestId', path: '/v1/budget-requests/{budgetRequest}' },
  {
    route: 'POST /v1/payments/check',
    path: '/v1/payments/check',
    body: ({ contact }) => ({ to: { type: 'contact', contactId: contact }, amount: '1' }),
  },
]

/** Routes without ids: public, about the caller only, or with a secret that is itself the permission (links, codes). */
const routesWithoutIds = new Set([
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
  // Filters take ids but only search the caller's rows: tests/worker/lists.test.ts.
  'GET /api/transactions/user',
  'GET /api/transactions/export',
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
  'GET /api/webhooks',
  'POST /api/webhooks',
  'GET /api/overview',
  'GET /api/usage/dashboard',
  'GET /api/preferences',
  'PUT /api/preferences',
  'GET /api/push/key',
  'POST /api/push/subscriptions',
  'DELETE /api/push/subscriptions',
  'POST /api/push/test',
  'GET /api/audit',
  'GET /api/escrow/claim/:accessToken',
  'POST /api/escrow/verify-passcode',
  'POST /api/escrow/resend-passcode',
  'POST /api/escrow/claim',
  'GET /v1/payments',
  'GET /v1/context',
  // Ids are in its messages: tests/worker/mcpTools.test.ts.
  'POST /mcp',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'POST /oauth/introspect',
  'GET /oauth/authorize',
  // Signed by vendors, and about messages: tests/worker/deliveryReports.test.ts.
  'POST /delivery-reports/:vendor',
  'GET /openapi.json',
  'GET /docs',
  'GET /.well-known/jwks.json',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/v1',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/oauth-authorization-server',
  'GET /dev/inbox',
  'POST /dev/faucet',
  'GET /dev/beta',
  'GET /dev/operator',
  'POST /dev/operator',
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
const created = new Map<string, string>()

beforeAll(async () => {
  await seed()
  await prepare()
  // With a Coinbase key, so that the on-ramp is available.
  api = createApi({ COINBASE_ONRAMP_KEY_ID: 'key', COINBASE_ONRAMP_KEY_SECRET: 'secret', ...accessSettings })
  api.clock.now = Date.now()
  const own = await createAccountFixture(api)
  const ann = { token: own.token, id: own.user }
  const sent = await api.call('POST', '/api/transactions/send', {
    token: ann.token,
    body: { walletId: own.wallet, toAddress: fresh('x'), amount: '1' },
  })
  const payout = await api.call('POST', '/api/escrow/create', {
    token: ann.token,
    body: { sourceWalletId: own.wallet, amount: '2', recipientEmail: 'carol@example.com' },
  })
  const paid = await own.pay({ to: { type: 'address', address: fresh('y') }, amount: '1' })
  expect([sent.status, payout.status, paid.status], paid.text).toEqual([201, 201, 201])
  const asked = await askOwner(own)
  const hook = await api.call('POST', '/api/webhooks', {
    token: ann.token,
    body: { url: 'https://hooks.example.com/ann', events: ['payment.confirmed'] },
  })
  expect(hook.status, hook.text).toBe(201)
  ids = {
    ...own,
    ...asked,
    webhook: hook.json.data.id,
    delivery: 'evt_1',
    payment: sent.json.data.id,
    payout: payout.json.data.escrowId,
    agentPayment: paid.json.id,
  }
  await until(
    'payout created',
    async () =>
      (await api.call('GET', `/api/escrow/${ids.payout}`, { token: ann.token })).json.data.status === 'CREATED',
  )
  const link = payout.json.data.claimUrl.split('/claim/')[1]
  const verified = await api.call('POST', '/api/escrow/verify-passcode', {
    body: { accessToken: link, passcode: payout.json.data.passcode },
  })
  claimSession = verified.json.data.sessionToken
  const theirs = await createAccountFixture(api)
  bob = { token: theirs.token, apiKey: theirs.apiKey, id: theirs.user }
  created.set('own', theirs.wallet)
  // All ids are real: Ann herself gets 200.
  for (const path of [
    `/api/transactions/${ids.payment}`,
    `/api/escrow/${ids.payout}`,
    `/api/wallets/${ids.wallet}/ledger`,
    `/api/contacts/${ids.contact}`,
    `/api/webhooks/${ids.webhook}/deliveries`,
    `/api/users/${ids.user}`,
    `/api/approvals/${ids.approval}`,
    `/api/transactions/${ids.askedPayment}`,
  ])
    expect((await api.call('GET', path, { token: ann.token })).status, path).toBe(200)
}, 60_000)

/** Creates an open approval, a grant and a budget request. */
async function askOwner(own: AccountFixture) {
  const as = (token: string, body: unknown) => ({ token, body, headers: { 'idempotency-key': crypto.randomUUID() } })
  const { json: group } = await api.call('GET', '/api/policy-groups', { token: own.token })
  const { name, scopes } = group.data[0]
  const rules = { name, scopes, approveAbove: '1.5' }
  await api.call('PUT', `/api/policy-groups/${own.group}`, { token: own.token, body: rules })
  const ask = async () => {
    const to = { type: 'address', address: fresh('z') }
    const { status, json } = await api.call('POST', '/v1/payments', as(own.apiKey, { to, amount: '2' }))
    expect(status).toBe(202)
    return json
  }
  const [first, second] = [await ask(), await ask()]
  const { json: shown } = await api.call('GET', `/api/approvals/${first.approval.id}`, { token: own.token })
  const grant = { amount: '5', endsAt: new Date(api.clock.now + hourMs).toISOString() }
  const decision = as(own.token, { hash: shown.data.hash, grant })
  const { json: approved } = await api.call('POST', `/api/approvals/${first.approval.id}/approve`, decision)
  const { json: request } = await api.call('POST', '/v1/budget-requests', as(own.apiKey, { amount: '3' }))
  return {
    approval: second.approval.id as string,
    askedPayment: second.id as string,
    grant: approved.data.grantId as string,
    budgetRequest: request.id as string,
  }
}

const isOperators = (path: string) => /^\/ops(\/|$)/.test(path)

/** A dry run returns the refusal that a payment would get. */
const codeOf = (json: { code?: string; refusal?: { code: string } } | null) => json?.refusal?.code ?? json?.code

const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name])

test('every route has a row or takes no id @foreign-ids-1', () => {
  const routes = createApp()
    .routes.filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
    // Rows of operators' routes are generated from the routes, below.
    .filter(({ path }) => !isOperators(path))
    .map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
  const known = new Set([...routesWithoutIds, ...rows.map((row) => row.route)])
  expect([...new Set(routes)].filter((route) => !known.has(route))).toEqual([])
  expect(
    [...known].filter((route) => !routes.includes(route)),
    'rows of routes that are gone',
  ).toEqual([])
})

test.each(rows.map((row, i) => ({ ...row, name: `${row.route} #${i}` })))(
  '$name: a foreign id is not found @foreign-ids-2',
  async (row) => {
    const method = row.route.split(' ')[0]!
    const body = row.body
      ? JSON.parse(JSON.stringify(row.body(ids)).replace('"own"', JSON.stringify(created.get('own'))))
      : method === 'GET' || method === 'DELETE'
        ? undefined
        : {}
    const before = await hash(env, ids.user)
    const isV1 = row.path.startsWith('/v1')
    const ask = (token?: string, headers: Record<string, string> = {}) =>
      api.call(method, fill(row.path), {
        ...(token ? { token } : {}),
        headers: { 'idempotency-key': `foreign-${Math.random()}`, ...headers },
        ...(body === undefined ? {} : { body }),
      })

    const asBob = await ask(isV1 ? bob.apiKey : bob.token)
    // An agent's payment to a contact is checked against its own whitelist, which lacks that contact.
    const code = row.route.startsWith('POST /v1/payments') && row.body ? 'recipient_not_allowed' : 'not_found'
    expect(codeOf(asBob.json), asBob.text).toBe(code)
    const forged = await ask(isV1 ? bob.apiKey : bob.token, { 'x-user-id': ids.user })
    expect([code, 'forbidden'], forged.text).toContain(codeOf(forged.json))
    for (const stranger of [await ask(isV1 ? bob.token : bob.apiKey), await ask(claimSession), await ask()])
      expect(stranger.status, stranger.text).toBe(401)
    expect(await hash(env, ids.user), 'nothing of Ann’s changed').toBe(before)
  },
)

/** Every route under /ops, called with Ann's ids. She is not an operator of her own account either. */
const operatorRoutes = createApp()
  .routes.filter(({ method, path }) => method !== 'ALL' && isOperators(path) && !path.endsWith('*'))
  .map(({ method, path }) => ({ method, path: path.replace(/(.)\/$/, '$1') }))

test.each(operatorRoutes)(
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
