/** Approvals over HTTP: an agent asks, its owner decides. tests/treasury/approvals.test.ts covers the rules. */

import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { Approval } from '../../worker/schemas/approval.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { hash } from '../support/hash.ts'
import { syncHistory } from '../support/histories.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { rowsOf, runNow, setClock, treasuryOf } from '../support/treasuries.ts'
import { accessToken, env, mailsTo } from './apiClient.ts'

const api = await createTestApp()
let own = await createAccountFixture(api, { limit: 30 })

async function setRules(rules: Record<string, unknown>) {
  const { name, scopes } = await own.groupNow()
  const body = { name, scopes, ...rules }
  const { status, text } = await own.asOwner('PUT', `/policy-groups/${own.group}`, body)
  expect(status, text).toBe(200)
}
await setRules({ approveAbove: '1' })
const pay = (body: object, key?: string) => own.pay(body, key === undefined ? {} : { key })
const toAddress = (amount: string, address = fresh('shop')) => ({ to: { type: 'address', address }, amount })
const asked = async (body: object, key?: string) => {
  const answer = await pay(body, key)
  expect(answer.status, answer.text).toBe(202)
  return answer
}
const shown = async (id: string): Promise<Approval> => (await own.asOwner('GET', `/approvals/${id}`)).json.data
const payment = async (id: string) => (await api.call('GET', `/v1/payments/${id}`, { token: own.apiKey })).json
const audited = (ref: string) =>
  rowsOf<{ event: string; data: string }>(own, 'SELECT event, data FROM audit WHERE ref = ? ORDER BY seq', ref)

test('a payment above the limit waits, is approved by the owner, and is paid under the id of the 202 @approvals-20', async () => {
  const recipient = fresh('shop')
  const body = { ...toAddress('2.5', recipient), memo: 'Invoice 7', reason: ' It is due today. ' }
  expect((await api.call('POST', '/v1/payments/check', { token: own.apiKey, body })).json).toMatchObject({
    allowed: true,
    approval_required: true,
    approval_rules: ['above_limit'],
  })
  const answer = await asked(body, 'order-7')
  const { id, approval } = answer.json
  expect(answer.headers.get('location')).toBe(`/v1/payments/${id}`)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.json).toMatchObject({ status: 'PENDING_APPROVAL', amount: '2.5', tx_hash: null, error: null })
  expect(approval).toEqual({
    id: expect.stringMatching(/^apr_/),
    status: 'PENDING',
    requested_at: answer.json.created_at,
    decided_at: null,
    expires_at: expect.stringMatching(/Z$/),
    url: `${env.APP_ORIGIN}/dashboard/approvals/${approval.id}`,
  })
  expect((await payment(id)).status).toBe('PENDING_APPROVAL')
  const listed = (await own.asOwner('GET', '/transactions/user')).json.data[0]
  expect(listed).toMatchObject({ id, status: 'PENDING', approvalId: approval.id, txHash: null })
  expect((await own.groupNow()).held, 'nothing is held').toBe('0')
  const replay = await asked(body, 'order-7')
  expect([replay.json.id, replay.headers.get('idempotent-replayed')]).toEqual([id, 'true'])

  const card = await shown(approval.id)
  expect(card).toMatchObject({
    kind: 'payment',
    status: 'PENDING',
    agent: { id: own.agent, name: 'Agent' },
    recipient: { type: 'address', address: recipient, contactName: null },
    recipientHistory: { payments: 0, lookAlike: null },
    amount: '2.5',
    memo: 'Invoice 7',
    agentReason: 'It is due today.',
    askedBecause: [{ rule: 'above_limit', message: expect.stringContaining('1.00 USDC') }],
    wouldPass: { ok: true },
    payment: { id, status: 'PENDING_APPROVAL' },
    needsPassword: false,
    canGrant: true,
    channels: { push: { state: 'not_set_up', at: null } },
  })
  expect((await own.asOwner('GET', '/notices/count')).json.data).toMatchObject({ pending: 1 })

  const approved = await own.asOwner('POST', `/approvals/${approval.id}/approve`, { hash: card.hash })
  expect(approved.json.data, approved.text).toMatchObject({
    status: 'APPROVED',
    decidedBy: { id: own.user, name: 'Ann' },
    wouldPass: null,
    payment: { id },
  })
  await until('confirmed', async () => (await payment(id)).status === 'CONFIRMED')
  expect(await chain.usdcBalance(recipient)).toBe(2_500_000n)
  const repeated = await pay(body, 'order-7')
  expect([repeated.status, repeated.json.id, repeated.json.approval.status]).toEqual([201, id, 'APPROVED'])
  expect((await own.asOwner('GET', '/notices/count')).json.data).toMatchObject({ pending: 0 })
  expect((await audited(approval.id)).map(({ event, data }) => [event, JSON.parse(data).by])).toEqual([
    ['approval.requested', own.agent],
    ['approval.approved', own.user],
  ])
})

test('an approved payout keeps the id of the 202 and sends its message only after the approval @approvals-21', async () => {
  const email = `grace${crypto.randomUUID().slice(0, 8)}@example.com`
  const { json } = await asked({ to: { type: 'email', email }, amount: '1.5' })
  expect(await mailsTo(email)).toEqual([])
  const { hash: shownHash, canGrant } = await shown(json.approval.id)
  expect(canGrant).toBe(false)
  const grant = { amount: '5', endsAt: new Date(api.clock.now + hourMs).toISOString() }
  const refused = await own.asOwner('POST', `/approvals/${json.approval.id}/approve`, { hash: shownHash, grant })
  expect([refused.status, refused.json.field]).toEqual([422, 'grant'])
  expect((await payment(json.id)).status, 'the refused decision leaves nothing behind').toBe('PENDING_APPROVAL')
  await own.asOwner('POST', `/approvals/${json.approval.id}/approve`, { hash: shownHash })
  await until('claimable', async () => (await payment(json.id)).status === 'PENDING')
  await until('the mail', async () => (await mailsTo(email)).length === 1)
})

test('an approved payment has the place and the date of its approval in the list @screens-62', async () => {
  const { json } = await asked(toAddress('1.5'))
  const later = await pay(toAddress('0.5'))
  expect(later.status).toBe(201)
  const list = async (query = '') => (await own.asOwner('GET', `/transactions/user?pageSize=2${query}`)).json.data
  const ids = async (query?: string) => (await list(query)).map(({ id }: { id: string }) => id)
  expect(await ids()).toEqual([later.json.id, json.id])
  const since = `&from=${new Date(Date.parse((await list())[0].createdAt) + 1).toISOString()}`
  expect(await ids(since), 'requested before').toEqual([])
  const { hash } = await shown(json.approval.id)
  expect((await own.asOwner('POST', `/approvals/${json.approval.id}/approve`, { hash })).status).toBe(200)
  expect(await ids()).toEqual([json.id, later.json.id])
  expect(await ids(since)).toEqual([json.id])
  const { text } = await own.asOwner('GET', `/transactions/export?${since.slice(1)}`)
  expect([text.includes(json.id), text.includes(later.json.id)], 'in the CSV, too').toEqual([true, false])
})

test('fifty concurrent decisions have one outcome, at most one payment and one audit entry that names who decided @approvals-22', async () => {
  for (const first of ['approve', 'deny'] as const) {
    const recipient = fresh('race')
    const { json } = await asked(toAddress('1.25', recipient))
    const card = await shown(json.approval.id)
    const decide = (decision: string) =>
      own.asOwner('POST', `/approvals/${json.approval.id}/${decision}`, { hash: card.hash })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => decide(i === 0 ? first : i % 2 === 0 ? 'approve' : 'deny')),
    )
    const { status, decidedBy } = await shown(json.approval.id)
    expect(['APPROVED', 'DENIED']).toContain(status)
    expect(decidedBy).toEqual({ id: own.user, name: 'Ann' })
    for (const each of answers)
      if (each.status === 200) expect(each.json.data.status).toBe(status)
      else expect([each.status, each.json.code], each.text).toEqual([409, 'conflict'])
    const decisions = (await audited(json.approval.id)).slice(1)
    expect(decisions.map(({ event, data }) => [event, JSON.parse(data).by])).toEqual([
      [status === 'APPROVED' ? 'approval.approved' : 'approval.denied', own.user],
    ])
    if (status === 'APPROVED') await until('paid', async () => (await payment(json.id)).status === 'CONFIRMED')
    else expect((await payment(json.id)).status).toBe('POLICY_REJECTED')
    expect(await chain.usdcBalance(recipient)).toBe(status === 'APPROVED' ? 1_250_000n : 0n)
  }
})

describe('the end of an approval', () => {
  test('a denied payment is a refusal for the agent, is listed as rejected, and stays refused under its key @approvals-23', async () => {
    const recipient = fresh('shop')
    const { json } = await asked(toAddress('3', recipient), 'order-deny')
    const card = await shown(json.approval.id)
    const denied = await own.asOwner('POST', `/approvals/${card.id}/deny`, { hash: card.hash, pauseAgent: true })
    expect(denied.json.data).toMatchObject({ status: 'DENIED', decidedBy: { id: own.user } })
    const paused = (await own.asOwner('GET', '/agents')).json.data[0]
    expect(paused.status).toBe('paused')
    await own.asOwner('POST', `/agents/${own.agent}/resume`)
    const again = await pay(toAddress('3', recipient), 'order-deny')
    expect([again.status, again.json.code, again.json.payment_id]).toEqual([403, 'approval_denied', json.id])
    expect((await pay(toAddress('3', recipient))).json.code).toBe('approval_denied')
    expect(await payment(json.id)).toMatchObject({ status: 'POLICY_REJECTED', error: { code: 'approval_denied' } })
    expect((await own.asOwner('GET', `/transactions/${json.id}`)).json.data.status).toBe('POLICY_REJECTED')
    const listed = (await own.asOwner('GET', '/transactions/user')).json.data
    expect(listed.find(({ id }: { id: string }) => id === json.id).status).toBe('POLICY_REJECTED')
  })

  test('an approval that its agent cancelled can no longer be approved @approvals-24', async () => {
    const { json } = await asked(toAddress('3'))
    const { hash: shownHash } = await shown(json.approval.id)
    const cancelled = await api.call('POST', `/v1/payments/${json.id}/cancel`, { token: own.apiKey })
    expect(cancelled.json, cancelled.text).toMatchObject({ status: 'CANCELLED', approval: { status: 'CANCELLED' } })
    const late = await own.asOwner('POST', `/approvals/${json.approval.id}/approve`, { hash: shownHash })
    expect([late.status, late.json.code]).toEqual([409, 'conflict'])
  })

  test('an approval that nobody decides expires by the alarm, and is listed as rejected @approvals-25', async () => {
    const { json } = await asked(toAddress('3'))
    await setClock(own, () => Date.parse(json.approval.expires_at))
    try {
      await until('expired', async () => {
        await runDurableObjectAlarm(treasuryOf(own))
        return (await audited(json.approval.id)).at(-1)?.event === 'approval.expired'
      })
      expect(await payment(json.id)).toMatchObject({
        status: 'POLICY_REJECTED',
        error: { code: 'approval_expired' },
        approval: { status: 'EXPIRED' },
        accepted_at: null,
      })
    } finally {
      await setClock(own, Date.now)
    }
    await until('listed', async () => {
      const rows = (await own.asOwner('GET', '/transactions/user')).json.data
      return rows.find(({ id }: { id: string }) => id === json.id)?.status === 'POLICY_REJECTED'
    })
  })
})

test('after "always allow", later payments need no approval until the owner ends the grant @approvals-26', async () => {
  const recipient = fresh('landlord')
  const { json } = await asked(toAddress('1.5', recipient))
  const { hash: shownHash } = await shown(json.approval.id)
  const grant = { amount: '4', endsAt: new Date(api.clock.now + hourMs).toISOString() }
  const tooLong = { ...grant, endsAt: new Date(api.clock.now + 400 * dayMs).toISOString() }
  const path = `/approvals/${json.approval.id}/approve`
  expect((await own.asOwner('POST', path, { hash: shownHash, grant: tooLong })).json.field).toBe('grant.endsAt')
  const approved = await own.asOwner('POST', path, { hash: shownHash, grant })
  expect((await pay(toAddress('1.5', recipient))).status).toBe(201)
  expect((await own.asOwner('GET', '/grants')).json.data).toMatchObject([
    { id: approved.json.data.grantId, status: 'active', address: recipient, limit: '4', used: '1.5', remaining: '2.5' },
  ])
  const ended = await own.asOwner('POST', `/grants/${approved.json.data.grantId}/end`)
  expect(ended.json.data).toMatchObject({ status: 'ended', endedWhy: { reason: 'owner' } })
  expect((await pay(toAddress('1.6', recipient))).status).toBe(202)
  expect((await own.asOwner('GET', '/grants')).json.data).toEqual([])
})

test('approving above the owner’s limit needs the password, and wrong passwords are limited @approvals-27', async () => {
  const settings = (body: object) => own.asOwner('PUT', '/approval-settings', body)
  expect((await settings({ passwordAbove: '2' })).json.data).toEqual({ passwordAbove: '2' })
  const { json } = await asked(toAddress('2.2'))
  const card = await shown(json.approval.id)
  expect(card.needsPassword).toBe(true)
  const approve = (password?: string) =>
    own.asOwner('POST', `/approvals/${card.id}/approve`, { hash: card.hash, ...(password && { password }) })
  expect((await approve()).json).toMatchObject({ code: 'password_required', field: 'password' })
  const wrong = await approve('not my password')
  expect([wrong.status, wrong.json.field]).toEqual([400, 'password'])
  expect((await settings({ passwordAbove: null })).json.code).toBe('password_required')
  const right = await approve('correct horse battery')
  expect(right.json.data, right.text).toMatchObject({ status: 'APPROVED' })
  expect((await settings({ passwordAbove: null, password: 'correct horse battery' })).json.data).toEqual({
    passwordAbove: null,
  })
  const second = await asked(toAddress('2.3'))
  const other = await shown(second.json.approval.id)
  const guess = (password: string) =>
    own.asOwner('POST', `/approvals/${other.id}/approve`, { hash: other.hash, password })
  for (let i = 0; i < 5; i++) expect((await guess(`guess ${i}`)).status).toBe(400)
  expect((await guess('correct horse battery')).status).toBe(429)
})

test('a budget request that the owner approves raises the limit of the group @approvals-28', async () => {
  const ask = (key: string) =>
    api.call('POST', '/v1/budget-requests', {
      token: own.apiKey,
      headers: { 'idempotency-key': key },
      body: { amount: '12.5', reason: 'More invoices' },
    })
  const first = await ask('budget-1')
  expect([first.status, first.headers.get('location')]).toEqual([202, `/v1/budget-requests/${first.json.id}`])
  expect(first.json).toMatchObject({ object: 'budget_request', status: 'PENDING_APPROVAL', reason: 'More invoices' })
  const limit = Number((await own.groupNow()).spendLimitUsdc)
  const card = await shown(first.json.approval.id)
  expect(card).toMatchObject({
    kind: 'budget',
    recipient: null,
    payment: null,
    askedBecause: [{ rule: 'budget_request' }],
  })
  const approved = await own.asOwner('POST', `/approvals/${card.id}/approve`, { hash: card.hash })
  expect(approved.json.data, approved.text).toMatchObject({ status: 'APPROVED' })
  expect(Number((await own.groupNow()).spendLimitUsdc)).toBe(limit + 12.5)
  const replay = await ask('budget-1')
  expect([replay.status, replay.json.status]).toEqual([200, 'APPROVED'])
  const found = await api.call('GET', `/v1/budget-requests/${first.json.id}`, { token: own.apiKey })
  expect(found.json).toEqual(replay.json)
})

test('the owner is emailed immediately, then in digests, and the approval shows the state of the email @approvals-29', async () => {
  const home = await createAccountFixture(api)
  const email = (await home.asOwner('GET', `/users/${home.user}`)).json.data.email as string
  const before = own
  own = home
  try {
    await setRules({ approveAbove: '1' })
    const first = await asked({ ...toAddress('2'), reason: 'pay me' })
    const notices = async () => (await mailsTo(email)).filter((text) => text.includes('/dashboard/approvals'))
    await until('the notice', async () => (await notices()).length === 1)
    expect((await notices())[0]).toContain(`/dashboard/approvals/${first.json.approval.id}`)
    await until('recorded', async () => (await shown(first.json.approval.id)).channels.email.state === 'accepted')
    const later = [await asked(toAddress('3')), await asked(toAddress('4'))]
    expect((await shown(later[0]!.json.approval.id)).channels.email).toEqual({ state: 'waiting', at: null })
    const then = Date.now() + 15 * minuteMs
    await setClock(own, () => then)
    await runNow(own, 'outbox')
    await until('the digest', async () => {
      await runDurableObjectAlarm(treasuryOf(own))
      return (await notices()).length === 2
    })
    expect((await notices())[0]).toContain('2 requests of your agents wait for you')
    expect((await shown(later[1]!.json.approval.id)).channels.email.state).toBe('accepted')
  } finally {
    own = before
  }
})

test('GET requests change nothing, and agents’ credentials can neither read nor decide approvals @approvals-30', async () => {
  const { json } = await asked(toAddress('2.75'))
  const { hash: shownHash } = await shown(json.approval.id)
  await syncHistory(own)
  const before = await hash(env, own.user)
  const { id } = json.approval
  // Like mail scanners that follow every link, and browsers that prefetch.
  for (const method of ['GET', 'HEAD'] as const) {
    for (const path of ['', `/${id}`, `/${id}/approve`, `/${id}/deny`])
      await own.asOwner(method, `/approvals${path}?hash=${shownHash}`)
    for (const path of ['grants', 'approval-settings', 'notices', 'notices/count', 'notices/read?upTo=9'])
      await own.asOwner(method, `/${path}`)
  }
  for (const credential of [own.apiKey, await accessToken(api, own)])
    for (const [method, path] of [
      ['GET', ''],
      ['GET', `/${id}`],
      ['POST', `/${id}/approve`],
      ['POST', `/${id}/deny`],
    ] as const) {
      const body = method === 'POST' ? { body: { hash: shownHash } } : {}
      expect((await api.call(method, `/api/approvals${path}`, { token: credential, ...body })).status).toBe(401)
    }
  expect(await hash(env, own.user)).toBe(before)
})
