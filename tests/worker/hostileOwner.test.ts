import { beforeAll, expect, test } from 'vitest'
import { person } from '#domain/actor.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { actingAs } from '../../worker/treasury/core/acting.ts'
import { chooseSecondPerson, remove } from '../../worker/treasury/policies/members.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { createConnectingApp } from '../support/connectingApp.ts'
import { joined, password } from '../support/members.ts'
import { fresh, until } from '../support/payer.ts'
import { bodies, id, signedInRoutes } from '../support/signedInRoutes.ts'
import { inTreasury, rowsOf, runNow, setClock } from '../support/treasuries.ts'
import { type Api, login, mailsTo } from './apiClient.ts'

/**
 * Somebody with the owner's session and password, but without the owner key, the master password of an imported wallet, and the
 * mailboxes.
 */

let api: Api
let start: number
beforeAll(async () => {
  api = await createTestApp()
  start = api.clock.now
})

/** An account that needs a second person above 5 USDC, and who acts for it besides its owner. */
async function createAcme() {
  api.clock.now = start
  const acme = await createAccountFixture(api)
  const { email } = (await acme.asOwner('GET', `/users/${acme.user}`)).json.data as { email: string }
  const members = [await joined(api, acme, 'approver'), await joined(api, acme, 'viewer')]
  expect((await acme.asOwner('PUT', '/people/second-person', { above: '5', password })).status).toBe(200)
  // Ahead of the alarms' clock: from here on, only the test lets work become due.
  api.clock.now = start + hourMs
  await setClock(acme, () => api.clock.now)
  return { ...acme, email, members }
}

type Acme = Awaited<ReturnType<typeof createAcme>>

const isEnd = (route: string) => route.startsWith('DELETE ') || route.endsWith('/pause')

/** What the thief does at one moment, in a session of their own. */
async function createThief(acme: Acme) {
  const apiKeys = [acme.apiKey]
  const waiting: string[] = []
  let token = ''
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api${path}`, { token, ...(body === undefined ? {} : { body }) })

  const payAs = async (credential: string) => {
    const to = { type: 'address', address: fresh('thief') }
    const asked = await acme.pay({ to, amount: '3' }, { token: credential })
    if (asked.json.approval) waiting.push(asked.json.approval.id)
  }
  const own: Record<string, string> = {
    ...{ ':groupId': acme.group, ':walletId': acme.wallet, ':agentId': acme.agent, ':contactId': acme.contact },
    ':memberId': acme.members[1]!.memberId,
  }
  const filled = (path: string) =>
    path
      .replace('/api', '')
      .replace(':userId', acme.user)
      .replace(/:\w+/g, (name) => own[name] ?? id)
  async function signIn() {
    const signedIn = await login(api, acme.email, password)
    expect(signedIn.status, signedIn.text).toBe(200)
    token = signedIn.json.data.accessToken
  }
  /** With the account's own ids in the body, too; and with the password, which some routes need and others refuse. */
  async function callAsCan(method: string, path: string, body: object = {}): Promise<number[]> {
    if (method === 'GET') return [(await call(method, filled(path))).status]
    const named = JSON.parse(JSON.stringify(body), (key, value) => (value === id ? (ownAs[key]?.() ?? id) : value))
    const statuses: number[] = []
    for (const more of [{}, { password }])
      statuses.push((await call(method, filled(path), { ...named, ...more })).status)
    return statuses
  }
  const ownAs: Record<string, () => string> = {
    ...{ walletId: () => acme.wallet, sourceWalletId: () => acme.wallet },
    ...{ policyGroupId: () => own[':groupId']!, agentId: () => own[':agentId']! },
  }
  /** A group and an agent, if theirs is gone. */
  async function makeAgain() {
    if ((await call('GET', `/policy-groups/${own[':groupId']}`)).status !== 200) {
      const terms = { name: 'Thieves', scopes: ['address_payments:write'], spendLimit: 1_000, walletId: acme.wallet }
      const made = await call('POST', '/policy-groups', terms)
      expect(made.status, made.text).toBe(201)
      own[':groupId'] = made.json.data.id
    }
    const agents = (await call('GET', '/agents')).json.data as { id: string }[]
    if (agents.some((one) => one.id === own[':agentId'])) return
    const agent = await call('POST', '/agents', { name: 'Again', policyGroupId: own[':groupId'] })
    own[':agentId'] = agent.json.data.agent.id
    apiKeys.push(agent.json.data.apiKey)
  }
  await signIn()
  return {
    call,
    signIn,
    /** Sends, pays as each agent that there is or can be made, and approves what waits. */
    async pay() {
      for (const amount of ['5', '3', '2', '0.01'])
        await callAsCan('POST', '/transactions/send', { walletId: acme.wallet, toAddress: fresh('thief'), amount })
      const payout = { sourceWalletId: acme.wallet, amount: '3', recipientEmail: 'thief@example.com' }
      await callAsCan('POST', '/escrow/create', payout)
      const group = own[':groupId']!
      const agent = await call('POST', '/agents', { name: 'Thief', policyGroupId: group })
      if (agent.json.data?.apiKey) apiKeys.push(agent.json.data.apiKey)
      const app = await createConnectingApp(api, { ...acme, group, asOwner: call })
      const { json: tokens } = await app.exchange((await app.allowed()).code)
      // The newest: each has the limits of one group.
      for (const credential of [...apiKeys.slice(-3), tokens.access_token]) await payAs(credential)
      for (const approval of waiting.slice(-10)) {
        const shown = await call('GET', `/approvals/${approval}`)
        await call('POST', `/approvals/${approval}/approve`, { hash: shown.json.data?.hash, password })
      }
      const { json: shown } = await call('GET', `/policy-groups/${group}`)
      await call('POST', `/policy-groups/${group}/confirm`, { version: shown.data?.version ?? 1 })
    },
    async raise() {
      await call('PUT', '/people/second-person', { above: null, password })
      const raised = await call('PUT', '/people/second-person', { above: '1000', password })
      expect(raised.status, raised.text).toBe(200)
    },
    /** Every route, with the account's own ids, but for those that end or pause what the rest is tried with. */
    async callAllRoutes(isLeftOut: (route: string) => boolean = () => false) {
      for (const route of signedInRoutes()) {
        const [method, path] = route.split(' ') as [string, string]
        if (isEnd(route) || isLeftOut(route)) continue
        await callAsCan(method, path, bodies[route])
      }
    },
    /** Calls each route that ends or pauses something, restores what can be restored, and calls `then`. Returns the routes that succeeded. */
    async endEverything(then: () => Promise<void>): Promise<string[]> {
      const ended: string[] = []
      for (const route of signedInRoutes().filter(isEnd)) {
        const [method, path] = route.split(' ') as [string, string]
        const webhook = await call('POST', '/webhooks', { ...bodies['POST /api/webhooks'], password })
        own[':webhookId'] = webhook.json.data?.id ?? id
        own[':connectionId'] = (await call('GET', '/connections')).json.data[0]?.id ?? id
        if ((await callAsCan(method, path, bodies[route])).some((status) => status === 200)) ended.push(route)
        for (const undo of signedInRoutes().filter((one) => one.endsWith('/resume')))
          await callAsCan('POST', undo.split(' ')[1]!)
        await makeAgain()
        await then()
      }
      return ended
    },
    async removeEverybody() {
      for (const { id: member } of (await call('GET', '/people')).json.data.members)
        expect((await call('DELETE', `/people/${member}`)).status).toBe(200)
    },
  }
}

/** In micro-USDC: what was accepted in the last 24 hours. */
async function acceptedToday(acme: Acme): Promise<number> {
  const query = 'SELECT coalesce(sum(amount), 0) AS sum FROM payment WHERE accepted_at > ?'
  return (await rowsOf<{ sum: number }>(acme, query, api.clock.now - dayMs))[0]!.sum
}
/** All members have a mail about the raise, although no time passed since. */
async function allAreTold(acme: Acme, what: string): Promise<void> {
  for (const { email } of acme.members)
    await until('the mail about the raise', async () => {
      await runNow(acme, 'outbox')
      return (await mailsTo(email)).some((text) => text.includes(what))
    })
}
const limitNow = async ({ call }: Awaited<ReturnType<typeof createThief>>) =>
  (await call('GET', '/people')).json.data.secondPerson

test('whoever has the owner’s session and password moves at most the limit in a day, and can’t raise it sooner @second-person-6', async () => {
  const acme = await createAcme()
  const thief = await createThief(acme)
  const tryAll = async () => {
    await thief.pay()
    await thief.raise()
  }
  await tryAll()
  await thief.callAllRoutes()
  await tryAll()
  await thief.removeEverybody()
  await tryAll()

  const accepted = await acceptedToday(acme)
  expect(accepted).toBeGreaterThan(0)
  expect(accepted).toBeLessThanOrEqual(5_000_000)
  expect(await limitNow(thief)).toMatchObject({ above: '5' })
})

test('pausing, deleting and creating things never lets a thief pay more than the limit @second-person-12', {
  tags: ['all'],
}, async () => {
  const acme = await createAcme()
  const thief = await createThief(acme)
  const ended = await thief.endEverything(thief.pay)
  expect(ended).toEqual(
    expect.arrayContaining([
      ...[
        'DELETE /api/contacts/:contactId',
        'DELETE /api/policy-groups/:groupId/cascade',
        'DELETE /api/agents/:agentId',
      ],
      ...['DELETE /api/connections/:connectionId', 'DELETE /api/people/:memberId'],
      ...[
        'POST /api/wallets/:walletId/pause',
        'POST /api/policy-groups/:groupId/pause',
        'POST /api/agents/:agentId/pause',
      ],
      'POST /api/account/pause',
    ]),
  )
  const accepted = await acceptedToday(acme)
  expect(accepted).toBeGreaterThan(0)
  expect(accepted).toBeLessThanOrEqual(5_000_000)
  expect(await limitNow(thief)).toEqual({ above: '5', next: null })
})

test('over 24 hours of every call, at most the limit leaves, all members are told of a raise at once, and it comes 24 hours later @second-person-9', {
  tags: ['all'],
}, async () => {
  const acme = await createAcme()
  const thief = await createThief(acme)
  await thief.callAllRoutes()
  // A mail is sent once for the same moment, and every call was tried: one of them raises the limit.
  await runNow(acme, 'outbox')
  api.clock.now += minuteMs
  await thief.pay()
  await thief.raise()
  const raisedAt = api.clock.now
  const at = new Date(raisedAt + dayMs).toISOString()
  await allAreTold(acme, 'above 1000.00 USDC in 24 hours')
  // To ask again would only delay it.
  const isAboutLimit = (route: string) => route.includes('second-person')
  for (const afterMs of [hourMs, 12 * hourMs, dayMs - 1]) {
    api.clock.now = raisedAt + afterMs
    await thief.signIn()
    await thief.pay()
    if (afterMs > hourMs) await thief.callAllRoutes(isAboutLimit)
    if (afterMs === 12 * hourMs) await thief.removeEverybody()
    await thief.pay()
    expect(await acceptedToday(acme), `${afterMs} ms later`).toBeLessThanOrEqual(5_000_000)
    expect(await limitNow(thief), `${afterMs} ms later`).toEqual({ above: '5', next: { above: '1000', at } })
  }
  expect(await acceptedToday(acme)).toBeGreaterThan(0)
  api.clock.now = raisedAt + dayMs
  expect(await limitNow(thief)).toEqual({ above: '1000', next: null })
  await thief.pay()
  expect(await acceptedToday(acme), 'a day later').toBeGreaterThan(5_000_000)
})

test('who is removed before the mail about a raise goes out is told of it @second-person-10', async () => {
  const acme = await createAcme()
  await inTreasury(acme, ({ context }) =>
    actingAs(person(acme.user), () => {
      unwrap(chooseSecondPerson(context, { above: null, passwordChecked: true }))
      for (const { memberId } of acme.members) expect(remove(context, memberId)).toBeNull()
    }),
  )
  await allAreTold(acme, 'no second person is needed')
})
