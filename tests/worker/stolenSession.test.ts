/** What a thief with stolen sessions leaves in an account, and that its owner can end all of it after a new password. */
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Change, ChangeList, EndedChanges } from '#schemas/change.ts'
import { createApp } from '../../worker/app.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh, until } from '../support/payer.ts'
import { rowsOf, runNow, setClock } from '../support/treasuries.ts'
import { type Api, auth, login, mailedCode, mailsTo, refresh } from './apiClient.ts'

const password = 'correct horse battery'
const paymentEvents = { url: 'https://hooks.example.com/payments', events: ['*'] }

/** Everything in the account that acts from then on. */
async function actingThings(own: AccountFixture): Promise<string[]> {
  const ids = await Promise.all([
    rowsOf<{ id: string }>(own, "SELECT 'webhook ' || id || ' ' || url || enabled AS id FROM webhook"),
    rowsOf<{ id: string }>(own, "SELECT 'agent ' || id AS id FROM agent WHERE deleted_at IS NULL"),
    rowsOf<{ id: string }>(own, "SELECT 'credential ' || hash AS id FROM credential"),
    rowsOf<{ id: string }>(own, "SELECT 'connection ' || id AS id FROM connection WHERE status <> 'ended'"),
    rowsOf<{ id: string }>(own, "SELECT 'grant ' || id AS id FROM approval_grant WHERE ended_at IS NULL"),
  ])
  return ids.flat().map(({ id }) => id)
}

/** Calls every route that changes something, with the account's ids and a body that asks for as much as possible. */
async function walk(api: Api, own: AccountFixture, token: string, name: string): Promise<void> {
  const url = `https://${name}.thief.example/`
  const bodies: Record<string, object> = {
    'POST /api/webhooks': { ...paymentEvents, url },
    'POST /api/agents': { name, policyGroupId: own.group },
    'POST /api/policy-groups': { name, scopes: ['address_payments:write'], spendLimit: 1000, walletId: own.wallet },
    'POST /api/policy-groups/:groupId/top-up': { amount: '0.6' },
    'POST /api/transactions/send': { walletId: own.wallet, toAddress: fresh(name), amount: '0.6' },
    'POST /api/escrow/create': { sourceWalletId: own.wallet, amount: '0.6', recipientEmail: 'thief@example.com' },
    'PUT /api/approval-settings': { passwordAbove: null },
    'POST /api/users/complete-onboarding': { name, password: 'a password of the thief' },
    'PATCH /api/users/:userId/change-password': { currentPassword: 'guessed', newPassword: 'a password of the thief' },
    'POST /api/agents/:agentId/regenerate-api-key': { revokeNow: true },
    'POST /api/agents/:agentId/regenerate-credentials': { revokeNow: true },
    'POST /api/wallets/smart-wallets-v2/:walletId/rotate-session-key': { spendingLimit: '2000000000', ttlHours: 1 },
  }
  const ids: Record<string, string> = { groupId: own.group, agentId: own.agent, walletId: own.wallet, userId: own.user }
  const routes = new Set(
    createApp()
      .routes.filter(({ method, path }) => ['POST', 'PUT', 'PATCH'].includes(method) && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
      // Would stop what the test counts.
      .filter((route) => !/pause|sign-out|reclaim/.test(route)),
  )
  // First what spends little of the amount that needs no password.
  const inOrder = [...routes].sort((a, b) => Number(b.includes('/agents')) - Number(a.includes('/agents')))
  for (const route of inOrder) {
    const [method, path] = route.split(' ') as [string, string]
    const filled = path.replace(/:(\w+)/g, (_, part: string) => ids[part] ?? 'unknown')
    const { status, text } = await api.call(method, filled, { token, body: bodies[route] ?? {} })
    expect(status, `${route}: ${text}`).toBeLessThan(500)
  }
  // A webhook without payment data needs no password.
  const told = await api.call('POST', '/api/webhooks', { token, body: { url, events: ['connection.created'] } })
  expect(told.status, told.text).toBe(201)
  const widened = { token, body: { events: ['*'] } }
  expect((await api.call('PATCH', `/api/webhooks/${told.json.data.id}`, widened)).json.code).toBe('password_required')
}

test('what a stolen session of any age leaves is listed after a reset, ended by one call, and older things stay @safety-26', async () => {
  const api = await createTestApp()
  const own = await createAccountFixture(api, { limit: 0.2 })
  const { email } = (await own.asOwner('GET', `/users/${own.user}`)).json.data as { email: string }
  const asOwner = async (path: string, body: object) => {
    const reply = await own.asOwner('POST', path, body)
    expect(reply.status, reply.text).toBe(201)
    return reply.json.data
  }
  await asOwner('/webhooks', { ...paymentEvents, password })
  const other = await asOwner('/policy-groups', {
    name: 'Other',
    scopes: ['address_payments:write'],
    spendLimit: 0.1,
    walletId: own.wallet,
  })
  await asOwner('/agents', { name: 'Older', policyGroupId: other.id })
  expect((await own.asOwner('PUT', '/approval-settings', { passwordAbove: '1' })).status).toBe(200)
  const older = await actingThings(own)
  expect(older.length).toBeGreaterThan(6)

  // All of it is older than 30 days when the thief comes.
  api.clock.now += 26 * dayMs
  await setClock(own, () => api.clock.now)
  const stolen: { age: string; refreshToken: string; token: string }[] = []
  for (const [age, later] of [
    ['days', 5 * dayMs],
    ['minutes', 6 * minuteMs],
    ['new', 0],
  ] as const) {
    const signedIn = await login(api, email, password)
    expect(signedIn.status, signedIn.text).toBe(200)
    const { data } = signedIn.json
    stolen.push({ age, token: data.accessToken, refreshToken: data.refreshToken })
    api.clock.now += later
  }
  const theftAt = api.clock.now
  for (const session of stolen) {
    if (session.age === 'days') {
      const renewed = await refresh(api, session.refreshToken)
      expect(renewed.status, renewed.text).toBe(200)
      session.token = renewed.json.data.accessToken
    }
    await walk(api, own, session.token, session.age)
  }
  const left = (await actingThings(own)).filter((thing) => !older.includes(thing))
  for (const kind of ['webhook', 'agent', 'credential'])
    expect(left.filter((thing) => thing.startsWith(kind)).length, kind).toBeGreaterThan(0)
  const [sent] = await rowsOf<{ total: number }>(
    own,
    'SELECT coalesce(sum(amount), 0) AS total FROM payment WHERE created_at >= ? AND refusal IS NULL',
    theftAt,
  )
  const [budgets] = await rowsOf<{ total: number | null }>(
    own,
    `SELECT sum(coalesce(spend_limit, 1e15)) AS total FROM policy_group WHERE deleted_at IS NULL
     AND id IN (SELECT group_id FROM agent WHERE deleted_at IS NULL)`,
  )
  expect(
    sent!.total + budgets!.total! - 300_000,
    'micro-USDC, without what agents could spend before',
  ).toBeLessThanOrEqual(1_000_000)

  // The owner is told, and resets the password.
  api.clock.now += 16 * minuteMs
  await auth(api, 'forgot-password', { email })
  const body = { email, code: await mailedCode(email), newPassword: 'a new password of the owner' }
  expect((await auth(api, 'reset-password', body)).status).toBe(200)
  for (const { token, age } of stolen) expect((await api.call('GET', '/api/changes', { token })).status, age).toBe(401)
  const again = await login(api, email, body.newPassword)
  expect(again.status, again.text).toBe(200)
  const { accessToken: token } = again.json.data
  const made = async () => (await api.call('GET', '/api/changes?made=true', { token })).json.data.changes as Change[]
  const listed = await made()
  expect(listed.every(({ by, via }) => by.type === 'owner' && via === 'dashboard')).toBe(true)
  const ended = await api.call('POST', '/api/changes/end', { token, body: { ids: listed.map(({ id }) => id) } })
  const counts = ended.json.data as EndedChanges
  expect([counts.webhooks, counts.agents > 0, counts.credentials > 0]).toEqual([3, true, true])
  expect(
    (await actingThings(own)).filter((thing) => !older.includes(thing)),
    'nothing of hers',
  ).toEqual([])
  expect(await made()).toEqual([])
  const replaced = older.filter((thing) => thing.startsWith('credential'))
  const stays = (await actingThings(own)).filter((thing) => !replaced.includes(thing))
  expect(stays, 'what is older').toEqual(older.filter((thing) => !replaced.includes(thing)))

  const bell = (await api.call('GET', '/api/notices', { token })).json.data.notices as { event: string }[]
  for (const event of ['webhook.created', 'agent.created', 'agent.credential_replaced'])
    expect(bell.map((notice) => notice.event)).toContain(event)
  await runNow(own, 'outbox')
  const mailed = await until('the mail', async () =>
    (await mailsTo(email)).find((text) => text.includes('was added as an agent')),
  )
  expect(mailed).toContain('/dashboard/changes')
  const { changes } = (await api.call('GET', '/api/changes', { token })).json.data as ChangeList
  expect(changes.map(({ event }) => event)).toContain('agent.credential_ended')
})

test('a session alone deletes no wallet whose only key Bursar may have @safety-27', async () => {
  const api = await createTestApp()
  const { asOwner } = await createAccountFixture(api)
  const privateKey = `0x${'5a'.repeat(32)}` as const
  const masterPassword = 'master password of mine'
  const { address } = privateKeyToAccount(privateKey)
  const imported = await asOwner('POST', '/wallets/with-private-key', {
    ...{ address, chain: 'base', privateKey, masterPassword },
  })
  expect(imported.status, imported.text).toBe(201)
  const path = `/wallets/${imported.json.data.id}`
  expect((await asOwner('DELETE', path, {})).json).toMatchObject({ code: 'password_required', field: 'password' })
  expect((await asOwner('DELETE', path, { password: 'guessed' })).json).toMatchObject({ field: 'password' })
  expect((await asOwner('POST', `${path}/private-key`, { masterPassword })).json.data).toEqual({ privateKey })
  expect((await asOwner('DELETE', path, { password })).status).toBe(200)
})
