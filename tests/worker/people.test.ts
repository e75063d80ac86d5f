import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { memberCaller, type PersonId } from '#domain/accounts.ts'
import { dayMs } from '#domain/time.ts'
import type { Env } from '../../worker/env.ts'
import { tellMembers } from '../../worker/treasury/limits/secondPerson.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { actingFor, invite as invitePerson, joined as joinedAs, password } from '../support/members.ts'
import { fresh, until } from '../support/payer.ts'
import { newBrowser } from '../support/pushBrowser.ts'
import { serveUrl } from '../support/serveUrl.ts'
import { inTreasury } from '../support/treasuries.ts'
import { type Api, auth, createUser, env, login, mailedCode, mailsTo, newEmail } from './apiClient.ts'

/** People who act for an account besides its owner. */

let api: Api
let acme: AccountFixture

beforeAll(async () => {
  api = await createTestApp()
  acme = await createAccountFixture(api)
})
afterEach(() => vi.restoreAllMocks())

const invite = (email: string, role: string) => invitePerson(acme, email, role)
const joined = (role: string) => joinedAs(api, acme, role)

test('an invited person sees whose account it is, joins, reads, and is refused what their role does not allow @people-1', async () => {
  const ada = await createUser(api, password)
  const { token } = await invite(ada.email, 'viewer')
  expect((await mailsTo(ada.email))[0]).toContain('as viewer. You could see payments and rules, and export them.')
  const shown = await ada.asOwner('POST', '/people/invitation', { token })
  expect(shown.json.data).toMatchObject({ account: { id: acme.user, name: 'Ann' }, role: 'viewer', email: ada.email })
  expect((await ada.asOwner('GET', '/people/accounts')).json.data).toEqual([])

  expect((await ada.asOwner('POST', '/people/join', { token })).json.data).toEqual({ accountId: acme.user })
  expect((await ada.asOwner('GET', '/people/accounts')).json.data).toMatchObject([{ id: acme.user, name: 'Ann' }])
  const call = actingFor(api, ada, acme.user)
  expect((await call('GET', '/wallets')).json.data).toMatchObject([{ id: acme.wallet }])
  expect((await call('GET', `/contacts/${acme.contact}`)).json.data).toMatchObject({ name: 'Carol' })
  expect((await call('GET', '/transactions/user')).status).toBe(200)
  expect((await call('GET', '/people')).json.data).toMatchObject({
    account: { name: 'Ann' },
    role: 'viewer',
    members: [{ email: ada.email, isYou: true, status: 'active' }],
  })
  expect((await ada.asOwner('GET', '/wallets')).json.data, 'her own account').toEqual([])

  const send = { walletId: acme.wallet, toAddress: acme.walletAddress, amount: '1' }
  for (const refused of [
    await call('POST', '/transactions/send', send),
    await call('PUT', `/contacts/${acme.contact}`, { name: 'Mallory', address: acme.owner }),
    await call('POST', '/account/pause'),
    await call('POST', '/people', { email: 'eve@bursar.test', role: 'approver', password }),
    await call('POST', '/onramp/session', { walletId: acme.wallet, amount: '10' }),
  ]) {
    expect([refused.status, refused.json.error]).toEqual([403, 'Your role in Ann, viewer, does not allow this.'])
  }
})

test('an invitation is for one confirmed address, once, for 14 days @people-2', async () => {
  const [ada, eve] = [await createUser(api, password), await createUser(api, password)]
  const { token } = await invite(ada.email, 'viewer')
  const masked = `${ada.email[0]}***@bursar.test`
  expect((await eve.asOwner('POST', '/people/invitation', { token })).json.data.email).toBe(masked)
  const refused = await eve.asOwner('POST', '/people/join', { token })
  expect([refused.status, refused.json.error]).toEqual([
    403,
    `This invitation is for ${masked}. Sign in with that address to join.`,
  ])
  expect((await ada.asOwner('POST', '/people/join', { token })).status).toBe(200)
  expect((await ada.asOwner('POST', '/people/join', { token })).status).toBe(409)

  const second = await invite(eve.email, 'viewer')
  const third = await invite(eve.email, 'preparer')
  expect((await eve.asOwner('POST', '/people/join', { token: second.token })).status, 'replaced').toBe(410)
  expect((await eve.asOwner('POST', '/people/join', { token: `${third.token}x` })).status).toBe(404)
  await makeOlder(third.id)
  expect((await eve.asOwner('POST', '/people/join', { token: third.token })).status).toBe(410)
})

test('a person who is removed or leaves is refused from the next call on @people-3', async () => {
  const [ada, bob] = [await joined('viewer'), await joined('approver')]
  expect((await acme.asOwner('DELETE', `/people/${ada.memberId}`)).status).toBe(200)
  const calls = Array.from({ length: 200 }, (_, i) =>
    ada.call('GET', ['/wallets', '/transactions/user', '/contacts', '/transactions/export', '/notices'][i % 5]!),
  )
  for (const { status, json } of await Promise.all(calls))
    expect([status, json.error]).toEqual([404, 'Account not found.'])
  expect((await bob.call('POST', '/people/leave')).status).toBe(200)
  expect((await bob.call('GET', '/wallets')).status).toBe(404)
  expect((await acme.asOwner('POST', '/people/leave')).status, 'the owner stays').toBe(409)
})

test('an account that is not known, or not yours, is not found, and no object is addressed @people-4', async () => {
  const eve = await createUser(api, password)
  for (const of of [acme.user, 'user_invented', 'm:user', 'x'.repeat(200), '']) {
    const { status, json } = await actingFor(api, eve, of)('GET', '/wallets')
    expect([status, json.error], of).toEqual([404, 'Account not found.'])
  }
})

test('an approver approves and denies what agents ask for, pauses, and can’t loosen a rule @people-5', async () => {
  const bob = await joined('approver')
  expect((await bob.call('POST', `/agents/${acme.agent}/pause`)).status).toBe(200)
  expect((await bob.call('POST', `/agents/${acme.agent}/resume`)).status).toBe(403)
  expect((await acme.asOwner('POST', `/agents/${acme.agent}/resume`, { password })).status).toBe(200)
  const raised = await bob.call('POST', `/policy-groups/${acme.group}/top-up`, { amount: '1' })
  expect([raised.status, raised.json.error]).toEqual([403, 'Your role in Ann, approver, does not allow this.'])

  const { version } = await acme.groupNow()
  const rules = { name: 'Group', walletId: acme.wallet, scopes: ['address_payments:write'], approveAbove: '5', version }
  expect((await acme.asOwner('PUT', `/policy-groups/${acme.group}`, { ...rules, password })).status).toBe(200)
  const ask = async () => {
    const asked = await acme.pay({ to: { type: 'address', address: fresh('shop') }, amount: '6' })
    expect(asked.status, asked.text).toBe(202)
    return (await bob.call('GET', `/approvals/${asked.json.approval.id}`)).json.data
  }
  const first = await ask()
  await until('mail to the approver', async () => (await mailsTo(bob.email))[0]!.includes(`account=${acme.user}`))
  expect((await mailsTo(bob.email))[0]).toContain(`/dashboard/approvals/${first.id}?account=${acme.user}`)
  const grant = { amount: '20', endsAt: new Date(Date.now() + dayMs).toISOString() }
  expect((await bob.call('POST', `/approvals/${first.id}/approve`, { hash: first.hash, grant })).status).toBe(403)
  const approved = await bob.call('POST', `/approvals/${first.id}/approve`, { hash: first.hash })
  expect(approved.json.data, approved.text).toMatchObject({ status: 'APPROVED', decidedBy: { id: bob.id } })
  const second = await ask()
  const denied = await bob.call('POST', `/approvals/${second.id}/deny`, { hash: second.hash })
  expect(denied.json.data, denied.text).toMatchObject({ status: 'DENIED' })
})

test('a role that may do more needs the password, and each address is invited five times a day at most @people-6', async () => {
  const ada = await joined('viewer')
  const raise = (body: object) => acme.asOwner('PATCH', `/people/${ada.memberId}`, body)
  expect((await raise({ role: 'approver' })).json).toMatchObject({ code: 'password_required', field: 'password' })
  expect((await raise({ role: 'approver', password })).json.data).toMatchObject({ role: 'approver' })
  expect((await raise({ role: 'viewer' })).json.data).toMatchObject({ role: 'viewer' })
  const without = await acme.asOwner('POST', '/people', { email: 'new@bursar.test', role: 'viewer' })
  expect(without.json).toMatchObject({ code: 'password_required' })
  const repeated = await acme.asOwner('POST', '/people', { email: ada.email, role: 'viewer', password })
  expect(repeated.status).toBe(409)
  const carl = await createUser(api, password)
  for (let i = 0; i < 4; i++) await invite(carl.email, 'viewer')
  const fifth = await invite(carl.email, 'viewer')
  const sixth = await acme.asOwner('POST', '/people', { email: carl.email.toUpperCase(), role: 'viewer', password })
  expect([sixth.status, sixth.json.field], sixth.text).toEqual([429, 'email'])
  expect((await carl.asOwner('POST', '/people/join', { token: fifth.token })).status, 'the last link works').toBe(200)
})

/** 14 days pass for this invitation. */
async function makeOlder(memberId: string) {
  const { runInDurableObject } = await import('cloudflare:test')
  await runInDurableObject(env.TREASURY.getByName(acme.user), (_, { storage }) => {
    storage.sql.exec('UPDATE member SET expires_at = expires_at - ? WHERE id = ?', 14 * dayMs, memberId)
  })
}

test('an export ends for a person who is removed while it runs @people-10', async () => {
  const ada = await joined('viewer')
  const history = env.HISTORY.getByName(acme.user)
  const caller = memberCaller(ada.id as PersonId)
  const later = { side: 'after', sort: 'newest', key: Date.now(), id: 'pay' } as const
  const read = () => history.transactionSlice(caller, { now: Date.now() }, later)
  expect(await read()).toMatchObject({ ok: true })
  expect((await acme.asOwner('DELETE', `/people/${ada.memberId}`)).status).toBe(200)
  expect(await read()).toMatchObject({ ok: false, code: 'not_found' })
})

test('a contact says which member changed it last, until the owner does @people-11', async () => {
  const bob = await joined('preparer')
  const made = await bob.call('POST', '/contacts', { name: 'Shop', address: fresh('shop') })
  expect(made.json.data, made.text).toMatchObject({ changedBy: 'Ann' })
  const edit = { name: 'Shop', address: fresh('elsewhere') }
  const path = `/contacts/${made.json.data.id}`
  expect((await acme.asOwner('PUT', path, edit)).json.data).toMatchObject({ changedBy: null })
  expect((await bob.call('PUT', path, { ...edit, name: 'The shop' })).json.data).toMatchObject({ changedBy: 'Ann' })
  expect((await acme.asOwner('GET', path)).json.data).toMatchObject({ name: 'The shop', changedBy: 'Ann' })
})

test('members hear of a limit that protects less, and of what leaves with the owner’s key above it @people-12', async () => {
  const bob = await joined('approver')
  const limit = (above: string | null) => acme.asOwner('PUT', '/people/second-person', { above, password })
  expect((await acme.asOwner('PUT', '/people/second-person', { above: '5' })).json.code).toBe('password_required')
  expect((await limit('5')).json.data).toEqual({ above: '5', next: null })
  const raised = (await limit(null)).json.data
  expect(raised).toMatchObject({ above: '5', next: { above: null } })
  const told = (text: string) => async () => (await mailsTo(bob.email)).some((mail) => mail.includes(text))
  await until('mail about the limit', told('no second person is needed.'))
  expect((await bob.call('GET', '/people')).json.data.secondPerson).toEqual(raised)
  await inTreasury(acme.user, ({ context }) =>
    context.store.transaction(() => tellMembers(context, `0x${'1'.repeat(64)}`, usdc('5.000001'))),
  )
  await until('mail about the withdrawal', told('5.000001 USDC left a wallet of Ann'))
  await limit('5')
})

test('where sign-up needs a passcode, an invitation to the address is one @people-18', async () => {
  const strict = { SIGN_UP: 'passcode' } as const
  const signUp = (email: string, more: object, mode: Partial<Env> = strict) =>
    api.call('POST', '/api/auth/cognito/signup', {
      body: { email, name: 'New', password: 'a password of a new person', ...more },
      env: mode,
    })
  const email = newEmail()
  const { id, token } = await invite(email, 'viewer')
  expect((await signUp(email, {})).json).toMatchObject({ code: 'wrong_passcode', field: 'signupPasscode' })
  for (const [address, invitation] of [
    [newEmail(), token],
    [`${email[0]}***@bursar.test`, token],
    [email, `${token}x`],
  ] as const)
    expect((await signUp(address, { invitation })).json, address).toMatchObject({ code: 'forbidden', field: 'email' })
  expect((await signUp(email, { invitation: token }, { SIGN_UP: 'closed' })).json.error).toBe('Sign-up is closed.')

  const { status, text, json } = await signUp(email, { invitation: token })
  expect(status, text).toBe(201)
  const { signupToken } = json.data
  expect((await auth(api, 'confirm', { email, code: await mailedCode(email), signupToken })).status).toBe(200)
  const signedIn = await login(api, email, 'a password of a new person')
  const as = { token: signedIn.json.data.accessToken, body: { token } }
  expect((await api.call('POST', '/api/people/join', as)).json.data).toEqual({ accountId: acme.user })
  expect((await signUp(newEmail(), { invitation: token })).status, 'used').toBe(403)
  expect((await acme.asOwner('DELETE', `/people/${id}`)).status).toBe(200)
  const withdrawn = await invite(newEmail(), 'viewer')
  expect((await acme.asOwner('DELETE', `/people/${withdrawn.id}`)).status).toBe(200)
  expect((await signUp(newEmail(), { invitation: withdrawn.token })).status, 'withdrawn').toBe(403)
})

test('the notice of a request goes to the browsers of the owner and of approvers, until they are removed @people-20', async () => {
  const [bob, vera] = [await joined('approver'), await joined('viewer')]
  const { version } = await acme.groupNow()
  const rules = { name: 'Group', walletId: acme.wallet, scopes: ['address_payments:write'], approveAbove: '5', version }
  expect((await acme.asOwner('PUT', `/policy-groups/${acme.group}`, { ...rules, password })).status).toBe(200)
  const browsers = { ann: await newBrowser(), bob: await newBrowser(), vera: await newBrowser() }
  for (const [who, { asOwner }] of Object.entries({ ann: acme, bob, vera })) {
    const { endpoint, keys } = browsers[who as keyof typeof browsers]
    expect((await asOwner('POST', '/push/subscriptions', { endpoint, keys })).status).toBe(201)
  }
  const PUSH_PRIVATE_JWK = JSON.stringify({ ...JSON.parse(env.JWT_PRIVATE_JWK), kid: 'push' })
  await inTreasury(acme, ({ context }) => {
    context.env = { ...context.env, PUSH_PRIVATE_JWK }
  })
  const sent: { url: string; body: Uint8Array<ArrayBuffer> }[] = []
  serveUrl('https://fcm.googleapis.com/', async (request) => {
    sent.push({ url: request.url, body: new Uint8Array(await request.arrayBuffer()) })
    return new Response(null, { status: 201 })
  })
  const to = (who: keyof typeof browsers) => sent.filter(({ url }) => url === browsers[who].endpoint)
  const ask = async () => {
    // As if the last message was 15 minutes ago.
    await inTreasury(acme, ({ context }) => context.store.setMeta('approval_notice_at', 0))
    const before = to('ann').length
    const asked = await acme.pay({ to: { type: 'address', address: fresh('shop') }, amount: '6' })
    expect(asked.status, asked.text).toBe(202)
    await until('push to the owner', async () => to('ann').length > before)
    return asked.json.approval.id as string
  }
  const id = await ask()
  await until('push to the approver', async () => to('bob').length === 1)
  const page = `/dashboard/approvals/${id}`
  expect(await browsers.ann.open(to('ann')[0]!.body)).toMatchObject({ path: page })
  expect(await browsers.bob.open(to('bob')[0]!.body)).toMatchObject({ path: `${page}?account=${acme.user}` })
  expect((await acme.asOwner('DELETE', `/people/${bob.memberId}`)).status).toBe(200)
  await ask()
  expect([to('bob').length, to('vera').length]).toEqual([1, 0])
})
