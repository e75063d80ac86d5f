import { beforeAll, expect, test } from 'vitest'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh } from '../support/payer.ts'
import { bodies, id, signedInRoutes } from '../support/signedInRoutes.ts'
import { inTreasury } from '../support/treasuries.ts'
import { type Api, createUser, mailedLinkToken } from './apiClient.ts'

/**
 * Somebody with the owner's session and password, but without the owner key, the master password of an imported wallet, and the
 * mailboxes.
 */

let api: Api
let acme: AccountFixture
const password = 'correct horse battery'

beforeAll(async () => {
  api = await createTestApp()
  acme = await createAccountFixture(api)
  const bob = await createUser(api)
  await acme.asOwner('POST', '/people', { email: bob.email, role: 'approver', password })
  const token = await mailedLinkToken(bob.email)
  expect((await bob.asOwner('POST', '/people/join', { token })).status).toBe(200)
  expect((await acme.asOwner('PUT', '/people/second-person', { above: '5', password })).status).toBe(200)
})

/** All that was accepted, in micro-USDC, and the limit that holds now. */
const state = () =>
  inTreasury(acme.user, ({ context: { store, now } }) => ({
    accepted: store.first<{ sum: number }>(
      'SELECT coalesce(sum(amount), 0) AS sum FROM payment WHERE accepted_at IS NOT NULL',
    )!.sum,
    above: store.secondPerson.above,
    isRaisedNow: store.secondPerson.next !== null && store.secondPerson.next.at <= now(),
  }))

test('whoever has the owner’s session and password moves at most the limit in a day, and can’t raise it sooner @second-person-6', async () => {
  const call = (method: string, path: string, body?: unknown) => acme.asOwner(method, path, body)
  const send = (amount: string) =>
    call('POST', '/transactions/send', { walletId: acme.wallet, toAddress: fresh('thief'), amount, password })
  const waiting: string[] = []
  const payAs = async (apiKey: string) => {
    const to = { type: 'address', address: fresh('thief') }
    const asked = await api.call('POST', '/v1/payments', {
      token: apiKey,
      key: crypto.randomUUID(),
      body: { to, amount: '3' },
    })
    if (asked.json.approval) waiting.push(asked.json.approval.id)
  }
  const tryAll = async () => {
    for (const amount of ['5', '3', '2', '0.01']) await send(amount)
    const agent = await call('POST', '/agents', { name: 'Thief', policyGroupId: acme.group, password })
    for (const apiKey of [acme.apiKey, agent.json.data?.apiKey]) if (apiKey) await payAs(apiKey)
    for (const approval of waiting) {
      const shown = await call('GET', `/approvals/${approval}`)
      await call('POST', `/approvals/${approval}/approve`, { hash: shown.json.data?.hash, password })
    }
    await call('PUT', '/people/second-person', { above: '1000', password })
    await call('PUT', '/people/second-person', { above: null, password })
    const { version } = await acme.groupNow()
    await call('POST', `/policy-groups/${acme.group}/confirm`, { version })
  }

  await tryAll()
  const own: Record<string, string> = { ':groupId': acme.group, ':walletId': acme.wallet, ':agentId': acme.agent }
  for (const route of signedInRoutes()) {
    const [method, path] = route.split(' ') as [string, string]
    // Ends what the rest is tried with, and is tried last.
    if (method === 'DELETE' || path.includes('/pause')) continue
    const filled = path.replace(':userId', acme.user).replace(/:\w+/g, (name) => own[name] ?? id)
    const body = method === 'GET' ? undefined : { ...bodies[route], walletId: acme.wallet, password }
    await call(method, filled.replace('/api', ''), body)
  }
  await tryAll()
  for (const { id: member } of (await call('GET', '/people')).json.data.members)
    await call('DELETE', `/people/${member}`)
  await tryAll()

  const { accepted, above, isRaisedNow } = await state()
  expect(accepted).toBeGreaterThan(0)
  expect(accepted).toBeLessThanOrEqual(5_000_000)
  expect([above, isRaisedNow]).toEqual([5_000_000n, false])
})
