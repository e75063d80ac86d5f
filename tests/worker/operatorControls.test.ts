/** Operator actions on one account. serviceStop.test.ts covers stops for all accounts, operators.test.ts authentication. */
import { describe, expect, test } from 'vitest'
import { defaultLimits } from '#domain/limits.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { createOpsApi } from '../support/accessStandIn.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { kill } from '../support/kill.ts'
import { callTool } from '../support/mcpMessages.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { inTreasury, runNow, setClock } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

const api = await createTestApp()
const { api: ops, headers, operate } = await createOpsApi('operator-controls')
const own = await createAccountFixture(api)

const act = (path: string, body: object = {}, email?: string) =>
  operate('POST', path, { reason: 'ticket 7', ...body }, email)
const owner = (method: string, path: string, body?: object) => own.asOwner(method, path, body)
const store = <T>(work: (object: Treasury) => T) => inTreasury(own, work)

const pay = (token: string, key: string = crypto.randomUUID(), to: object = { type: 'address', address: shop }) =>
  own.pay({ to, amount: '0.5' }, { token, key })
const shop = fresh('shop')

const claim = ({ link, passcode }: { link: string; passcode: string }, recipientAddress: string) =>
  api.call('POST', '/api/escrow/claim', { body: { accessToken: link, passcode, recipientAddress } })

describe('a suspended user', () => {
  const suspend = (email?: string) => act(`/users/${own.user}/suspend`, {}, email)
  const unsuspend = (email?: string) => act(`/users/${own.user}/unsuspend`, {}, email)

  test('a suspended user’s agents are refused by token, key and MCP; the owner can read, reclaim and exit; recipients can claim @suspend-1', async () => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: own.clientId,
      client_secret: own.clientSecret,
    })
    const tokenFor = (resource: string) =>
      api.call('POST', '/oauth/token', {
        raw: `${form}&resource=${encodeURIComponent(`${env.API_ORIGIN}${resource}`)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    const token = (await tokenFor('/v1')).json.access_token as string
    const key = crypto.randomUUID()
    const [signed, replayed] = [await pay(token), await pay(own.apiKey, key)]
    expect([signed.status, replayed.status]).toEqual([201, 201])
    const [claimed, reclaimed] = await Promise.all([own.createPayout(), own.createPayout()])

    // One payment that is not signed yet: it fails, and its amount is released.
    await store(({ context }: Treasury) => {
      context.limits = { ...context.limits, agentInFlight: 0 }
    })
    const queued = await pay(own.apiKey)
    expect(queued.json.status).toBe('QUEUED')
    const done = await suspend()
    expect(done.json.data, done.text).toMatchObject({ suspended: true })

    for (const credential of [token, own.apiKey])
      for (const refused of [
        await pay(credential),
        await pay(credential, key),
        await api.call('GET', '/v1/context', { token: credential }),
        await api.call('GET', `/v1/payments/${signed.json.id}`, { token: credential }),
      ]) {
        expect([refused.status, refused.json.code], refused.text).toEqual([403, 'account_suspended'])
        expect(refused.json).toMatchObject({ rule: 'account.suspended' })
      }
    const tool = await callTool(api, own.apiKey, 'get_payment_context', {})
    expect(tool.content).toMatchObject({ code: 'account_suspended' })
    expect((await tokenFor('/v1')).json.error).toBe('invalid_client')

    // apiClient checks that no refusal has the words that make the browser sign out.
    expect((await owner('GET', '/account')).json.data).toEqual({ paused: false, suspended: true, restored: null })
    for (const [method, path, body] of [
      ['POST', '/transactions/send', { walletId: own.wallet, toAddress: shop, amount: '1' }],
      ['POST', '/escrow/create', { sourceWalletId: own.wallet, amount: '1', recipientEmail: 'x@example.com' }],
      ['POST', '/agents', { name: 'Another', policyGroupId: own.group }],
      ['POST', `/policy-groups/${own.group}/top-up`, { amount: '5' }],
      ['POST', `/agents/${own.agent}/regenerate-api-key`, {}],
      ['POST', `/escrow/${reclaimed.id}/resend`, {}],
      ['POST', '/wallets/smart-wallets-v2/deploy', { ownerAddress: own.owner, chainId: 8453 }],
      ['POST', `/wallets/smart-wallets-v2/${own.wallet}/rotate-session-key`, { spendingLimit: '1000000', ttlHours: 1 }],
    ] as const) {
      const refused = await owner(method, path, body)
      expect([path, refused.status, refused.json.code]).toEqual([path, 403, 'account_suspended'])
    }
    for (const path of ['/wallets', '/agents', '/overview', '/transactions/user', '/escrow/list'])
      expect((await owner('GET', path)).status, path).toBe(200)
    const context = await owner('GET', `/wallets/smart-wallets-v2/${own.wallet}/owner-signing-context`)
    expect(context.status).toBe(200)
    const exit = {
      kind: 'revokeSession',
      ownerNonce: '0',
      deadline: 4_000_000_000,
      signature: `0x${'11'.repeat(64)}1b`,
    }
    const leave = await owner('POST', `/wallets/smart-wallets-v2/${own.wallet}/owner-actions`, exit)
    expect(leave.json.code, 'it reached the wallet, which refuses this signature').not.toBe('account_suspended')

    const final = async (id: string) => (await owner('GET', `/transactions/${id}`)).json.data
    await until('signed ones delivered', async () => (await final(signed.json.id)).status === 'CONFIRMED')
    await until('signed ones delivered', async () => (await final(replayed.json.id)).status === 'CONFIRMED')
    expect(await final(queued.json.id)).toMatchObject({ status: 'FAILED' })
    const to = fresh('bob')
    expect((await claim(claimed, to)).status).toBe(200)
    expect((await owner('POST', `/escrow/${reclaimed.id}/reclaim`)).status).toBe(200)
    await claimed.becomes('WITHDRAWN')
    await reclaimed.becomes('RECLAIMED')
    expect(await chain.usdcBalance(to)).toBe(2_000_000n)
    expect((await own.groupNow()).held).toBe('0')

    expect((await unsuspend()).json.data).toMatchObject({ suspended: false, since: null })
    expect((await pay(token)).status).toBe(201)
  })

  test('a suspended user is listed, and concurrent operators leave Treasury and list consistent @suspend-2', async () => {
    const listed = async () =>
      (await operate('GET', '/users')).json.data.some(({ id }: { id: string }) => id === own.user)
    expect(await listed()).toBe(false)
    await Promise.all([suspend(), unsuspend('otto@bursar.example'), suspend('otto@bursar.example'), unsuspend()])
    const { suspended } = (await operate('GET', `/users/${own.user}`)).json.data
    expect(await listed()).toBe(suspended)
    expect((await suspend()).json.data.suspended).toBe(true)
    expect(await listed()).toBe(true)
    const { since } = (await suspend()).json.data
    expect((await suspend()).json.data.since, 'a second suspension keeps the time').toBe(since)
    await unsuspend()
    expect(await listed()).toBe(false)
    const acts = (await operate('GET', '/actions')).json.data
    expect(acts[0]).toMatchObject({ action: 'user.unsuspend', subject: own.user, reason: 'ticket 7' })
    expect(acts.slice(0, 9).map(({ actor }: { actor: string }) => actor)).toContain('otto@bursar.example')
  })
})

describe('limits of one user', () => {
  const set = (limits: object) => operate('PATCH', `/users/${own.user}/limits`, { limits, reason: 'abuse' })
  const report = async () => (await operate('GET', `/users/${own.user}`)).json.data

  test('limits of one user apply from the next call, survive an eviction, and can be lifted @user-limits-1', async () => {
    const { gas } = await report()
    expect((await set({ emailsPerDay: 0, gasPerDay: 0 })).json.data).toEqual({ emailsPerDay: 0, gasPerDay: 0 })
    expect((await report()).gas.limit).toBe(0)
    const refused = await pay(own.apiKey)
    expect([refused.status, refused.json.code]).toEqual([429, 'gas_allowance_exceeded'])
    expect((await set({ gasPerDay: gas.limit })).json.data).toEqual({ gasPerDay: gas.limit, emailsPerDay: 0 })
    const mail = await pay(own.apiKey, undefined, { type: 'email', email: 'bob@example.com' })
    expect([mail.status, mail.json.code]).toEqual([429, 'message_limit'])
    expect((await set({ emailsPerDay: null })).json.data).toEqual({ gasPerDay: gas.limit })
    expect((await pay(own.apiKey)).status).toBe(201)
    expect((await set({ gasPerDay: null, agentPaymentBurst: 1, agentPaymentsPerSecond: 0.001 })).status).toBe(200)
    expect((await pay(own.apiKey)).status).toBe(201)
    const tooFast = await pay(own.apiKey)
    expect([tooFast.status, tooFast.json.code]).toEqual([429, 'payment_rate_exceeded'])
    await kill(env.TREASURY.getByName(own.user))
    expect((await pay(own.apiKey)).json.code, 'after an eviction').toBe('payment_rate_exceeded')
    expect((await report()).limits).toEqual({ agentPaymentBurst: 1, agentPaymentsPerSecond: 0.001 })
    expect((await set({ agentPaymentBurst: null, agentPaymentsPerSecond: null })).json.data).toEqual({})
    const last = await pay(own.apiKey)
    expect(last.status, last.text).toBe(201)
    // The object loads the session key again.
    await until(
      'signed',
      async () => (await owner('GET', `/transactions/${last.json.id}`)).json.data.status !== 'QUEUED',
    )
  })

  test.each([
    {},
    { unknown: 1 },
    { newAccountsGasPerDay: 1 },
    { gasPerDay: -1 },
    { gasPerDay: '5' },
    { agentPaymentsPerSecond: 0 },
  ])('user limits %j are refused @user-limits-2', async (limits) => {
    expect((await set(limits)).status).toBe(400)
    expect(Object.keys(defaultLimits)).toContain('newAccountsGasPerDay')
  })
})

test('stuck work is listed with its reason, and continues once woken @stuck-1', async () => {
  await chain.fault({ mode: 'down', methods: ['eth_sendRawTransaction'] })
  const payment = await pay(own.apiKey)
  expect(payment.status, payment.text).toBe(201)
  // Sets the Treasury's clock ahead.
  const ahead = (ms: number) => setClock(own, () => Date.now() + ms)
  await ahead(61_000)
  const { stuck, counts } = (await operate('GET', `/users/${own.user}`)).json.data
  expect(counts.openPayments).toBeGreaterThan(0)
  expect(stuck).toContainEqual(expect.objectContaining({ kind: 'payment', id: payment.json.id, status: 'PROCESSING' }))
  const work = stuck.find(({ id }: { id: string }) => id === payment.json.id)
  expect(work.why).toMatch(/^(waiting at the Relayer|in transaction|the Relayer does not know)/)
  // The clock goes back: what was read of the chain meanwhile is not fresh for another minute.
  await runNow(own, 'settle')
  await chain.fault({ mode: 'none' })
  await ahead(0)
  await env.RELAYER.getByName('8453:0').wakeUp()
  expect((await act(`/users/${own.user}/wake`)).status).toBe(200)
  await until('confirmed', async () => {
    const found = await owner('GET', `/transactions/${payment.json.id}`)
    return found.json.data.status === 'CONFIRMED'
  })
  const status = (await operate('GET', '/status')).json.data
  expect(status).toMatchObject({ stop: { mode: 'none' }, signUp: 'open' })
  expect(status.relayers).toContainEqual(expect.objectContaining({ name: '8453:0', problem: null }))
  expect((await operate('GET', '/stuck')).json.data).toMatchObject({ jobs: expect.any(Array) })
})

test('taking a claim link down moves no money and can be undone; the sender can still reclaim the payout @takedown-1', async () => {
  const payout = await own.createPayout()
  const verify = () =>
    api.call('POST', '/api/escrow/verify-passcode', { body: { accessToken: payout.link, passcode: payout.passcode } })
  const session = (await verify()).json.data.sessionToken
  const down = await act('/claim-links/take-down', { payout: payout.url })
  expect(down.json.data, down.text).toEqual({
    payoutId: payout.id,
    userId: own.user,
    status: 'CREATED',
    isDown: true,
  })
  const text = 'This payout link is not available.'
  const bySession = { accessToken: payout.link, sessionToken: session, recipientAddress: fresh('x') }
  for (const refused of [
    await api.call('GET', `/api/escrow/claim/${payout.link}`),
    await verify(),
    await claim(payout, fresh('bob')),
    await api.call('POST', '/api/escrow/claim', { body: bySession }),
    await api.call('POST', '/api/escrow/resend-passcode', { body: { accessToken: payout.link } }),
  ])
    expect([refused.status, refused.json.error]).toEqual([410, text])
  const resent = await owner('POST', `/escrow/${payout.id}/resend`)
  expect([resent.status, resent.json.error]).toEqual([409, expect.stringContaining('You can take the payout back')])
  expect((await payout.shown()).status).toBe('CREATED')
  const listed = async () =>
    (await owner('GET', `/escrow/list?ids=${payout.id}`)).json.data.escrows.map(
      (row: { linkTakenDown?: true }) => row.linkTakenDown,
    )
  expect(await listed(), 'its sender sees it').toEqual([true])

  expect((await act('/claim-links/restore', { payout: payout.id })).json.data.isDown).toBe(false)
  expect((await verify()).status).toBe(200)
  expect(await listed()).toEqual([undefined])
  await act('/claim-links/take-down', { payout: payout.link })
  expect((await owner('POST', `/escrow/${payout.id}/reclaim`)).status).toBe(200)
  await payout.becomes('RECLAIMED')

  expect((await act('/claim-links/take-down', { payout: 'nothing' })).status).toBe(404)
  const acts = (await operate('GET', '/actions')).json.data
  expect(acts[0]).toMatchObject({ action: 'claim_link.take_down', subject: payout.id })
  expect(JSON.stringify(acts)).not.toContain(payout.link)
})

test('reading a user’s audit log needs a reason, which is recorded before the log is read @ops-audit-1', async () => {
  expect((await pay(own.apiKey)).status).toBe(201)
  expect((await operate('POST', `/users/${own.user}/audit`, {})).status).toBe(400)
  const read = await act(`/users/${own.user}/audit`)
  const { entries, before } = read.json.data
  expect(entries[0].seq).toBeGreaterThan(entries.at(-1).seq)
  expect(entries.map(({ event }: { event: string }) => event)).toContain('payment.accepted')
  const older = (await act(`/users/${own.user}/audit`, { before: entries[0].seq })).json.data
  expect(older.entries[0].seq).toBe(entries[0].seq - 1)
  expect(before === null || before === entries.at(-1).seq).toBe(true)
  const [last] = (await operate('GET', '/actions')).json.data
  expect(last).toMatchObject({ action: 'user.audit', subject: own.user, reason: 'ticket 7' })

  const reasons: string[] = []
  const readAudit = async () => {
    reasons.push((await operate('GET', '/actions')).json.data[0].reason)
    return []
  }
  const TREASURY = {
    getByName: () => ({ operators: () => ({ readAudit, [Symbol.dispose]() {} }) }),
  } as unknown as typeof env.TREASURY
  const read8 = await ops.call('POST', `/ops/api/users/${own.user}/audit`, {
    headers: await headers(),
    body: { reason: 'ticket 8' },
    env: { TREASURY },
  })
  expect([read8.status, reasons], 'recorded when the log is read').toEqual([200, ['ticket 8']])
})

test('an unknown user id is not found, creates no Treasury and is not recorded @operators-5', async () => {
  const newest = async () => (await operate('GET', '/actions')).json.data[0].id
  const before = await newest()
  for (const path of ['suspend', 'unsuspend', 'wake', 'audit'])
    expect((await act(`/users/user_nobody/${path}`)).status, path).toBe(404)
  expect((await operate('PATCH', '/users/user_nobody/limits', { limits: { gasPerDay: 1 }, reason: 'x' })).status).toBe(
    404,
  )
  expect((await operate('GET', '/users/user_nobody')).status).toBe(404)
  expect(await newest()).toBe(before)
  const [found] = (await operate('GET', `/users?find=${own.user}`)).json.data
  expect((await operate('GET', `/users?find=${encodeURIComponent(found.email)}`)).json.data).toEqual([found])
})
