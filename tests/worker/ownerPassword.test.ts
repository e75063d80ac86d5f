/** What a stolen session may do without the password, once the owner has set a limit. */
import { beforeAll, expect, test } from 'vitest'
import { createApp } from '../../worker/app.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { waitingRun } from '../support/waitingRun.ts'
import type { Api } from './apiClient.ts'

const password = 'correct horse battery'
let api: Api
let own: AccountFixture
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api)
})

const group = { name: 'Group', scopes: ['address_payments:write', 'contact_payments:write', 'email_payments:write'] }

/**
 * Calls of a signed-in person that raise what may leave without a person, here by more than 1 USDC; `{x}` is one of the
 * account's ids.
 */
const raising: [route: string, body: () => object][] = [
  ['POST /api/transactions/send', () => ({ walletId: own.wallet, toAddress: fresh('thief'), amount: '1.5' })],
  [
    'POST /api/escrow/create',
    () => ({ sourceWalletId: own.wallet, amount: '1.5', recipientEmail: 'thief@example.com' }),
  ],
  ['PUT /api/policy-groups/:groupId', () => ({ ...group, spendLimit: 30 })],
  ['POST /api/policy-groups/:groupId/top-up', () => ({ amount: '1.5' })],
  ['POST /api/policy-groups/:groupId/resume', () => ({})],
  ['POST /api/policy-groups/:groupId/contacts/:contactId/confirm', () => changedContact],
  ['POST /api/agents', () => ({ name: 'Thief', policyGroupId: own.group })],
  ['POST /api/agents/:agentId/regenerate-api-key', () => ({})],
  ['POST /api/agents/:agentId/regenerate-credentials', () => ({})],
  ['POST /api/agents/:agentId/resume', () => ({})],
  ['POST /api/wallets/:walletId/resume', () => ({})],
  ['POST /api/account/resume', () => ({})],
  [
    'POST /api/wallets/smart-wallets-v2/:walletId/rotate-session-key',
    () => ({ spendingLimit: '2000000000', ttlHours: 1 }),
  ],
  ['POST /api/approvals/:approvalId/approve', () => ({ hash: waiting.hash })],
  ['POST /api/runs/:runId/approve', () => ({ hash: run.hash })],
  ['PUT /api/approval-settings', () => ({ passwordAbove: '50' })],
]

/** Calls that let nothing more leave, or not without someone's signature, code or password. */
const harmless = new Set([
  // Stop things, or take something away.
  'POST /api/account/pause',
  'POST /api/policy-groups/:groupId/pause',
  'POST /api/policy-groups/:groupId/replay',
  'POST /api/agents/:agentId/pause',
  'POST /api/wallets/:walletId/pause',
  'DELETE /api/policy-groups/:groupId/cascade',
  'DELETE /api/agents/:agentId',
  'DELETE /api/wallets/:walletId',
  'POST /api/approvals/:approvalId/deny',
  'POST /api/runs/:runId/deny',
  'POST /api/runs/:runId/stop',
  // Wait for a decision.
  'POST /api/runs',
  'POST /api/runs/:runId/submit',
  'POST /api/runs/:runId/repeat',
  'POST /api/grants/:grantId/end',
  'POST /api/escrow/:escrowId/reclaim',
  'POST /api/escrow/reclaim-all',
  // A group without agents, and the name of an agent or wallet.
  'POST /api/policy-groups',
  'PUT /api/agents/:agentId',
  'PUT /api/wallets/:walletId',
  // Signed by the owner's key, or with the master password of an imported wallet.
  'POST /api/wallets/smart-wallets-v2/deploy',
  'POST /api/wallets/smart-wallets-v2/:walletId/session-offers',
  'POST /api/wallets/smart-wallets-v2/:walletId/owner-actions',
  'POST /api/wallets/with-private-key',
  'POST /api/wallets/:walletId/private-key',
  // Contacts of a whitelist become stale until they are confirmed.
  'POST /api/contacts',
  'PUT /api/contacts/:contactId',
  'DELETE /api/contacts/:contactId',
  'POST /api/contacts/:contactId/restore',
  // Asks for the password whatever the limit is (connections.test.ts), or needs another call that does.
  'POST /api/connections/requests/:requestId/allow',
  'POST /api/connections/requests/:requestId/deny',
  'POST /api/connections/device',
  'DELETE /api/connections/:connectionId',
  // Ask only, or need the recipient's code.
  'POST /api/contacts/names',
  'POST /api/agents/:agentId/check',
  'POST /api/transactions/recipient-check',
  'POST /api/escrow/:escrowId/resend',
  'POST /api/escrow/claim',
  'POST /api/escrow/receipt',
  'POST /api/escrow/resend-passcode',
  'POST /api/escrow/send-on',
  'POST /api/escrow/verify-passcode',
  // About the account, its settings, messages and money that comes in.
  'PATCH /api/users/:userId',
  'PATCH /api/users/:userId/change-password',
  'PATCH /api/users/:userId/public-address',
  'POST /api/users',
  'POST /api/users/:userId/public-address/nonce',
  'POST /api/users/complete-onboarding',
  'POST /api/login',
  'POST /api/notices/read',
  'POST /api/onramp/session',
  'PUT /api/preferences',
  'POST /api/push/subscriptions',
  'DELETE /api/push/subscriptions',
  'POST /api/push/test',
  'POST /api/changes/end',
  // Ask for the password whatever the limit is (people.test.ts), end what somebody may do, or are for whoever was invited.
  'POST /api/people',
  'PATCH /api/people/:memberId',
  'DELETE /api/people/:memberId',
  'POST /api/people/invitation',
  'POST /api/people/join',
  'POST /api/people/leave',
  'PUT /api/people/second-person',
  'POST /api/policy-groups/:groupId/confirm',
  'POST /api/webhooks',
  'PATCH /api/webhooks/:webhookId',
  'DELETE /api/webhooks/:webhookId',
  'POST /api/webhooks/:webhookId/deliveries/:deliveryId/replay',
  'POST /api/webhooks/:webhookId/rotate-secret',
  'POST /api/webhooks/:webhookId/test',
  ...[
    ...['confirm', 'confirm-link', 'forgot-password', 'login', 'new-password', 'refresh', 'resend-code'],
    ...['reset-password', 'reset-password-link', 'sign-out', 'signup'],
  ].map((name) => `POST /api/auth/cognito/${name}`),
])
let changedContact: { address: string; email: null; phone: null }
let waiting: { id: string; hash: string }
let run: { id: string; hash: string }

const fill = (path: string) =>
  path
    .replace(':groupId', own.group)
    .replace(':contactId', own.contact)
    .replace(':agentId', own.agent)
    .replace(':walletId', own.wallet)
    .replace(':approvalId', waiting.id)
    .replace(':runId', run.id)

/** Calls the route. Returns the code of its refusal; undefined if it was done. */
async function call(route: string, body: object): Promise<string | undefined> {
  const [method, path] = route.split(' ') as [string, string]
  const reply = await own.asOwner(method, fill(path).slice('/api'.length), body)
  return reply.status < 300 ? undefined : `${reply.status} ${reply.json.code}`
}

/** Makes every route of `raising` have something to raise. */
async function prepareTargets() {
  const address = fresh('changed')
  await own.asOwner('PUT', `/contacts/${own.contact}`, { name: 'Carol', address })
  changedContact = { address, email: null, phone: null }
  const edited = await own.asOwner('PUT', `/policy-groups/${own.group}`, { ...group, approveAbove: '1', password })
  expect(edited.status, edited.text).toBe(200)
  const asked = await own.pay({ to: { type: 'address', address: fresh('asked') }, amount: '1.5' })
  expect(asked.status, asked.text).toBe(202)
  const { data } = (await own.asOwner('GET', `/approvals/${asked.json.approval.id}`)).json
  waiting = { id: data.id, hash: data.hash }
  expect(data.needsPassword).toBe(true)
  run = await waitingRun(own, [{ to: fresh('run'), amount: '1.5' }])
}

test('every route of the API that can raise what leaves without a person is known here @password-3', () => {
  const routes = createApp()
    .routes.filter(({ method, path }) => !['ALL', 'GET'].includes(method) && path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
  const known = [...raising.map(([route]) => route), ...harmless]
  expect([...new Set(routes)].sort()).toEqual([...new Set(known)].sort())
})

test('with a limit of 1 USDC, a stolen session raises nothing by more without the password @password-4', async () => {
  expect((await own.asOwner('PUT', '/approval-settings', { passwordAbove: '1' })).status).toBe(200)
  await prepareTargets()
  for (const [route, body] of raising) {
    const isResume = route.endsWith('/resume')
    if (isResume) expect(await call(route.replace('/resume', '/pause'), {})).toBeUndefined()
    expect([route, await call(route, body())]).toEqual([route, '422 password_required'])
    if (isResume) expect(await call(route, { password })).toBeUndefined()
  }

  const send = (amount: string, more: object = {}) => own.send({ amount, ...more })
  const topUp = (amount: string) => own.asOwner('POST', `/policy-groups/${own.group}/top-up`, { amount })
  expect((await topUp('0.2')).status).toBe(200)
  const codes = await Promise.all(['0.3', '0.3', '0.3', '0.3'].map(async (amount) => (await send(amount)).status))
  expect(codes.sort(), 'four at the same time').toEqual([201, 201, 422, 422])
  expect((await send('0.2')).status).toBe(201)
  for (const refused of [await topUp('0.000001'), await send('0.000001')])
    expect(refused.json).toMatchObject({ code: 'password_required', field: 'password' })
  expect((await send('0.000001')).json).toMatchObject({ code: 'password_required', field: 'password' })
  expect((await send('1.5', { password: 'wrong' })).json).toMatchObject({ code: 'invalid_input', field: 'password' })
  expect((await send('1.5', { password })).status, 'with the password').toBe(201)
  await inTreasury(own, ({ context }) => {
    const now = context.now()
    context.now = () => now + 24 * 3_600_000 + 15 * 60_000
  })
  expect((await send('1')).status, 'a day later').toBe(201)
})

test('a repeat with the same key is answered without the password, and counts once @password-5', async () => {
  const fixture = await createAccountFixture(api)
  await fixture.asOwner('PUT', '/approval-settings', { passwordAbove: '1' })
  const body = { walletId: fixture.wallet, toAddress: fresh('once'), amount: '0.8' }
  const send = () => api.call('POST', '/api/transactions/send', { token: fixture.token, key: 'once', body })
  const [first, again] = [await send(), await send()]
  expect([first.status, again.json.data.id]).toEqual([201, first.json.data.id])
  expect((await fixture.send({ amount: '0.2' })).status).toBe(201)
  expect((await fixture.send({ amount: '0.1' })).status).toBe(422)
})

test('denying again with "pause agent" pauses; a permission for an approved request is refused @password-6', async () => {
  const fixture = await createAccountFixture(api)
  await fixture.asOwner('PUT', `/policy-groups/${fixture.group}`, { ...group, approveAbove: '1' })
  const ask = async () => {
    const { json } = await fixture.pay({ to: { type: 'address', address: fresh('ask') }, amount: '1.5' })
    return (await fixture.asOwner('GET', `/approvals/${json.approval.id}`)).json.data as { id: string; hash: string }
  }
  const [denied, approved] = [await ask(), await ask()]
  const grant = { amount: '5', endsAt: new Date(api.clock.now + 3_600_000).toISOString() }
  const approve = (more: object = {}) =>
    fixture.asOwner('POST', `/approvals/${approved.id}/approve`, { hash: approved.hash, ...more })
  expect((await approve()).status).toBe(200)
  expect((await approve()).status).toBe(200)
  expect((await approve({ grant })).json).toMatchObject({ code: 'conflict', field: 'grant' })
  const deny = (more: object = {}) =>
    fixture.asOwner('POST', `/approvals/${denied.id}/deny`, { hash: denied.hash, ...more })
  expect((await deny()).status).toBe(200)
  expect((await deny({ pauseAgent: true })).status).toBe(200)
  expect((await fixture.asOwner('GET', '/agents')).json.data[0].status).toBe('paused')
})
