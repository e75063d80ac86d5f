/** People who act for an account while something fails, or somebody is stopped. */
import { beforeAll, expect, test } from 'vitest'
import { within } from '../../worker/durable/within.ts'
import { createOpsApi } from '../support/accessStandIn.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { kill } from '../support/kill.ts'
import { actingFor, invite, joined, password } from '../support/members.ts'
import { fresh, until } from '../support/payer.ts'
import { brokenD1, setDatabase, silentD1 } from '../support/silentDatabase.ts'
import { runNow, treasuryOf } from '../support/treasuries.ts'
import { type Api, createUser, env } from './apiClient.ts'

let api: Api
let acme: AccountFixture
beforeAll(async () => {
  api = await createTestApp()
  acme = await createAccountFixture(api)
})

/** Whether D1 has the person among the account's members. */
const isInD1 = async (personId: string) =>
  (await env.DB.prepare('SELECT 1 FROM membership WHERE person_id = ? AND account_id = ?')
    .bind(personId, acme.user)
    .first()) !== null

const repaired = async (personId: string, isMember: boolean) => {
  await kill(treasuryOf(acme))
  await runNow(acme, 'outbox')
  await until('D1 is repaired', async () => (await isInD1(personId)) === isMember)
}

test('what a kill leaves in the Treasury alone reaches D1, and a row too many opens nothing @people-13', async () => {
  const bob = await createUser(api, password)
  const { id, token } = await invite(acme, bob.email, 'viewer')
  const call = actingFor(api, bob, acme.user)
  await setDatabase(treasuryOf(acme), brokenD1)
  expect((await bob.asOwner('POST', '/people/join', { token })).status).toBe(200)
  expect([await isInD1(bob.id), (await call('GET', '/wallets')).status]).toEqual([false, 404])
  await repaired(bob.id, true)
  expect((await call('GET', '/wallets')).status, 'joined').toBe(200)

  await setDatabase(treasuryOf(acme), brokenD1)
  expect((await acme.asOwner('DELETE', `/people/${id}`)).status).toBe(200)
  const refused = await call('GET', '/wallets')
  expect([await isInD1(bob.id), refused.status, refused.json.error]).toEqual([true, 404, 'Account not found.'])
  await repaired(bob.id, false)
  expect((await bob.asOwner('GET', '/people/accounts')).json.data).toEqual([])

  const eve = await createUser(api, password)
  await env.DB.prepare('INSERT INTO membership (person_id, account_id) VALUES (?, ?)').bind(eve.id, acme.user).run()
  const asEve = actingFor(api, eve, acme.user)
  for (const path of ['/wallets', '/transactions/user', '/contacts', '/transactions/export', '/people'])
    expect((await asEve('GET', path)).status, path).toBe(404)
  expect((await asEve('POST', '/account/pause')).status).toBe(404)
})

test.each([
  ['fails', brokenD1],
  ['answers nothing', silentD1],
])('while D1 %s, the owner works as before, and members hear that they can’t @people-14', async (_, DB) => {
  const bob = await joined(api, acme, 'approver')
  await setDatabase(treasuryOf(acme), DB)
  const asOwner = (method: string, path: string, body?: object) =>
    within(5_000, () => api.call(method, `/api${path}`, { token: acme.token, env: { DB }, ...(body && { body }) }))
  expect((await asOwner('GET', '/wallets')).status).toBe(200)
  expect((await asOwner('GET', '/people')).status).toBe(200)
  const sent = { walletId: acme.wallet, toAddress: fresh('friend'), amount: '1' }
  expect((await asOwner('POST', '/transactions/send', sent)).json).toMatchObject({ success: true })
  const refused = await within(5_000, () => bob.call('GET', '/wallets', undefined, { env: { DB } }))
  expect([refused.status, refused.json.error, refused.headers.get('retry-after')]).toEqual([
    503,
    'Accounts of others can’t be opened right now. Please try again in a minute.',
    '30',
  ])
  expect((await asOwner('DELETE', `/people/${bob.memberId}`)).status, 'removed without D1').toBe(200)
  expect((await bob.call('GET', '/wallets')).status, 'D1 is back in the Worker alone').toBe(404)
  await repaired(bob.id, false)
})

test('whom an operator has suspended acts for nobody, and what their own account is does not matter to others @people-15', async () => {
  const { operate } = await createOpsApi('people-faults')
  const bob = await joined(api, acme, 'approver')
  const act = (what: string) => operate('POST', `/users/${bob.id}/${what}`, { reason: 'ticket 9' })
  expect((await act('suspend')).status).toBe(200)
  for (const [method, path] of [
    ['GET', '/wallets'],
    ['GET', '/transactions/user'],
    ['GET', '/contacts'],
    ['POST', '/account/pause'],
  ] as const) {
    const { status, json } = await bob.call(method, path)
    expect([status, json.code, json.error], path).toEqual([
      403,
      'account_suspended',
      'The operator has suspended you: you can’t act for accounts of others.',
    ])
  }
  const member = (await acme.asOwner('GET', '/people')).json.data.members[0]
  expect(member, 'still a member').toMatchObject({ id: bob.memberId, status: 'active' })
  expect((await act('unsuspend')).status).toBe(200)
  expect((await bob.call('GET', '/wallets')).status).toBe(200)
  expect((await acme.asOwner('DELETE', `/people/${bob.memberId}`)).status).toBe(200)
})

test('two owners who invite each other act for each other in their roles, and through nobody for a third @people-16', async () => {
  const other = await createAccountFixture(api)
  const [asUser, ofOther] = [
    { ...(await userOf(acme)), asOwner: acme.asOwner },
    { ...(await userOf(other)), asOwner: other.asOwner },
  ]
  const inOther = await joined(api, other, 'viewer', asUser)
  const inAcme = await joined(api, acme, 'approver', ofOther)
  expect((await inOther.call('GET', '/wallets')).json.data).toMatchObject([{ id: other.wallet }])
  expect((await inAcme.call('GET', '/wallets')).json.data).toMatchObject([{ id: acme.wallet }])
  expect((await acme.asOwner('GET', '/wallets')).json.data, 'their own, as before').toMatchObject([{ id: acme.wallet }])
  expect((await inOther.call('POST', '/account/pause')).status).toBe(403)
  expect((await inAcme.call('POST', '/account/pause')).status).toBe(200)
  expect((await other.asOwner('GET', '/account')).json.data, 'the pause is of one account').toMatchObject({
    paused: false,
  })
  expect((await acme.asOwner('POST', '/account/resume', { password })).status).toBe(200)

  const third = await createAccountFixture(api)
  await joined(api, third, 'viewer', ofOther)
  expect((await actingFor(api, asUser, third.user)('GET', '/wallets')).status, 'through the other').toBe(404)
  for (const [by, id] of [
    [acme, inAcme.memberId],
    [other, inOther.memberId],
  ] as const)
    expect((await by.asOwner('DELETE', `/people/${id}`)).status).toBe(200)
})

/** The owner of the account, as a person whom others invite. */
async function userOf({ token, user: id, asOwner }: AccountFixture) {
  const { email } = (await asOwner('GET', `/users/${id}`)).json.data as { email: string }
  return { email, password, token, refreshToken: '', id }
}

test('twenty members poll as their pages do, and what they use is not the owner’s @people-17', {
  tags: ['all'],
}, async () => {
  const many = await createAccountFixture(api)
  const members: Awaited<ReturnType<typeof joined>>[] = []
  for (let i = 0; i < 20; i++) members.push(await joined(api, many, 'viewer'))
  const oneMore = await many.asOwner('POST', '/people', { email: 'one@more.test', role: 'viewer', password })
  expect([oneMore.status, oneMore.json.error]).toEqual([
    422,
    'At most 20 people can act for an account besides its owner.',
  ])

  // The limits of production: 100 calls at once, and ten a second, for each person and for all members of an account.
  const options = { env: { LIMITS: '{}' } }
  const polls = ['/overview', '/notices/count', '/approvals', '/wallets', '/policy-groups']
  const round = async () => {
    const calls = members.flatMap(({ call }) => polls.map((path) => call('GET', path, undefined, options)))
    return (await Promise.all(calls)).filter(({ status }) => status !== 200).map(({ text }) => text)
  }
  for (let i = 0; i < 3; i++) {
    expect(await round()).toEqual([])
    // Pages ask again after 30 seconds.
    api.clock.now += 30_000
  }
  await round()
  const [more] = await Promise.all([members[0]!.call('GET', '/wallets', undefined, options)])
  expect([more.status, more.json.code]).toEqual([429, 'rate_limited'])
  expect((await api.call('GET', '/api/wallets', { token: many.token, ...options })).status).toBe(200)
})
