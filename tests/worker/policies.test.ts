import { encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { RuleEdits } from '#domain/rules/values.ts'
import { dayMs } from '#domain/time.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import { nextTurn } from '../../worker/durable/turns.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { groupEdit, usdc } from '../support/build.ts'
import { chain, createPayer, fresh, until } from '../support/payer.ts'
import { rowsOf, setClock } from '../support/treasuries.ts'
import { env, party } from '../support/workerChain.ts'
import { accessToken } from './apiClient.ts'

/** Changes of groups and agents in the dashboard, and their effect on agents that are calling meanwhile. */
const api = await createTestApp()
const own = await createAccountFixture(api, { funds: 500_000_000n, limit: 300 })
const address = party('somebody').address
const office = { zone: 'Europe/Berlin', days: ['mon'], from: '09:00', to: '17:00' }

const as = (token: string) => ({
  get: (path: string) => api.call('GET', path, { token }),
  put: (path: string, body: unknown) => api.call('PUT', path, { token, body }),
  post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.call('POST', path, { token, headers, ...(body === undefined ? {} : { body }) }),
  delete: (path: string) => api.call('DELETE', path, { token }),
})
const owner = () => as(own.token)
let keys = 0
const pay = (token: string, body: Record<string, unknown> = {}, key = `k-${++keys}`) =>
  as(token).post('/v1/payments', { to: { type: 'address', address }, amount: '1', ...body }, { 'idempotency-key': key })

type Made = { id: string; agent: string; apiKey: string; clientId: string; clientSecret: string }
/** A new group with one agent, on the shared wallet. */
async function createGroup(over: Record<string, unknown> = {}): Promise<Made> {
  const group = await owner().post('/api/policy-groups', {
    name: 'Group',
    spendLimit: 20,
    scopes: ['address_payments:write', 'contact_payments:write', 'email_payments:write'],
    walletId: own.wallet,
    ...over,
  })
  expect(group.status, group.text).toBe(201)
  return { id: group.json.data.id, ...(await createAgent(group.json.data.id)) }
}
async function createAgent(policyGroupId: string) {
  const agent = await owner().post('/api/agents', { name: 'Agent', policyGroupId })
  const { apiKey, clientId, clientSecret } = agent.json.data
  return { agent: agent.json.data.agent.id as string, apiKey, clientId, clientSecret }
}
const groupNow = async (id: string) => (await owner().get(`/api/policy-groups/${id}`)).json.data

test('a group is read as it is in the list, until it is deleted', async () => {
  const group = await createGroup()
  const all = (await owner().get('/api/policy-groups')).json.data as { id: string }[]
  expect(await groupNow(group.id)).toEqual(all.find(({ id }) => id === group.id))
  await owner().delete(`/api/policy-groups/${group.id}/cascade`)
  const gone = await owner().get(`/api/policy-groups/${group.id}`)
  expect(gone.status).toBe(404)
  expect(gone.json).toMatchObject({ success: false, code: 'not_found', error: 'Policy group not found.' })
})

describe('editing a group', () => {
  test('the later of two editors is refused, and the earlier edit is kept @policy-1', async () => {
    const group = await createGroup()
    const edit = (body: Record<string, unknown>) =>
      owner().put(`/api/policy-groups/${group.id}`, { name: 'G', scopes: ['address_payments:write'], ...body })
    const [first, second] = await Promise.all([
      edit({ name: 'First', version: 1 }),
      edit({ name: 'Second', version: 1 }),
    ])
    expect([first.status, second.status].sort()).toEqual([200, 409])
    const refused = first.status === 409 ? first : second
    expect(refused.json).toMatchObject({ code: 'conflict', field: 'version' })
    const kept = first.status === 200 ? 'First' : 'Second'
    expect(await groupNow(group.id)).toMatchObject({ name: kept, version: 2, spendLimit: 20 })
    expect((await edit({ name: 'Third', version: 2 })).status).toBe(200)
  })

  test('a top-up, a changed contact and a confirmation raise the policy version; saving without changes does not @policy-2', async () => {
    const contact = await owner().post('/api/contacts', { name: 'Ada', address: fresh('ada') })
    const group = await createGroup({ whitelistedContactIds: [contact.json.data.id] })
    const versions = [1]
    const note = async () => versions.push((await groupNow(group.id)).version)
    await owner().post(`/api/policy-groups/${group.id}/top-up`, { amount: '1.5' })
    await note()
    await owner().put(`/api/contacts/${contact.json.data.id}`, { name: 'Ada', address: fresh('new') })
    await note()
    const { contact: listed, current, stale } = (await groupNow(group.id)).whitelistedContacts[0]
    expect(stale).toBe(true)
    expect(current.address).not.toBe(listed.address)
    await owner().post(`/api/policy-groups/${group.id}/contacts/${listed.id}/confirm`, current)
    await note()
    const now = await groupNow(group.id)
    const same = { name: now.name, scopes: now.scopes, version: now.version, spendLimit: now.spendLimitUsdc }
    expect((await owner().put(`/api/policy-groups/${group.id}`, same)).status).toBe(200)
    await note()
    expect(versions).toEqual([1, 2, 3, 4, 4])
  })

  test('a group’s limit cannot fall below what is spent or held, and its wallet cannot change @policy-3', async () => {
    const group = await createGroup()
    expect((await pay(group.apiKey, { amount: '7.5' })).status).toBe(201)
    const edit = (body: Record<string, unknown>) =>
      owner().put(`/api/policy-groups/${group.id}`, { name: 'G', scopes: ['address_payments:write'], ...body })
    expect(await edit({ spendLimit: 7.49 })).toMatchObject({
      status: 422,
      json: { field: 'spendLimit', error: expect.stringContaining('7.5') },
    })
    expect((await edit({ spendLimit: '7.5' })).status).toBe(200)
    expect((await pay(group.apiKey, { amount: '0.000001' })).json).toMatchObject({ code: 'budget_exceeded' })
    expect(await edit({ walletId: 'wal_other' })).toMatchObject({
      status: 422,
      json: { error: 'Wallet cannot be changed after creation', field: 'walletId' },
    })
    expect((await edit({ walletId: own.wallet, spendLimit: null })).json.data).toMatchObject({ spendLimit: null })
    expect((await pay(group.apiKey)).status).toBe(201)
  })

  test('changed scopes apply to the next call, and the reply lists each agent @policy-4', async () => {
    const group = await createGroup()
    const second = await createAgent(group.id)
    const token = await accessToken(api, group)
    expect((await pay(token)).status).toBe(201)
    const edited = await owner().put(`/api/policy-groups/${group.id}`, {
      name: 'G',
      scopes: ['email_payments:write'],
    })
    expect(edited.json.data.scopeUpdateResults).toEqual([
      { agentId: group.agent, agentName: 'Agent', success: true },
      { agentId: second.agent, agentName: 'Agent', success: true },
    ])
    expect((await pay(token)).json).toMatchObject({ code: 'insufficient_scope' })
  })

  test('limits besides the budget are enforced, kept if omitted, and removed with null @policy-5', async () => {
    const limits = {
      maxPayment: '2',
      periodBudget: { period: 'week', limit: '3' },
      maxUnclaimed: '1',
      emailDomains: ['Example.com'],
      phoneCodes: ['0049'],
    }
    const group = await createGroup(limits)
    expect(await groupNow(group.id)).toMatchObject({
      maxPayment: '2',
      periodBudget: { period: 'week', limit: '3', used: '0', remaining: '3' },
      maxUnclaimed: '1',
      unclaimed: '0',
      emailDomains: ['example.com'],
      phoneCodes: ['+49'],
    })
    expect((await pay(group.apiKey, { amount: '2.000001' })).json).toMatchObject({
      code: 'payment_limit_exceeded',
      rule: 'group.max_payment',
      max_allowed_now: '2',
    })
    const email = (to: string) => ({ to: { type: 'email', email: to } })
    expect((await pay(group.apiKey, email('a@other.org'))).json).toMatchObject({ rule: 'group.email_domains' })
    expect((await pay(group.apiKey, { ...email('a@example.com'), amount: '0.95' })).status).toBe(201)
    expect((await pay(group.apiKey, { ...email('a@example.com'), amount: '0.1' })).json).toMatchObject({
      code: 'unclaimed_limit_exceeded',
      max_allowed_now: '0',
      held: '0.95',
    })
    expect((await pay(group.apiKey, { amount: '2' })).status).toBe(201)
    const over = await pay(group.apiKey, { amount: '0.06' })
    expect(over.json).toMatchObject({ rule: 'group.budget_per_week', max_allowed_now: '0.05', remaining: '0.05' })
    expect(Date.parse(over.json.resets_at)).toBeGreaterThan(Date.now())
    const edit = (body: Record<string, unknown>) =>
      owner().put(`/api/policy-groups/${group.id}`, {
        name: 'G',
        scopes: ['address_payments:write', 'email_payments:write'],
        ...body,
      })
    expect((await edit({ maxPayment: null })).json.data).toMatchObject({ maxPayment: null, maxUnclaimed: '1' })
    expect((await edit({ periodBudget: null, emailDomains: null })).json.data).toMatchObject({
      periodBudget: null,
      emailDomains: null,
      phoneCodes: ['+49'],
    })
    expect((await pay(group.apiKey, { amount: '3' })).status).toBe(201)
  })
})

describe('top-up', () => {
  test('a top-up adds once under one key, and returns the new limit @policy-6', async () => {
    const group = await createGroup()
    const topUp = (amount: string, key: string) =>
      owner().post(`/api/policy-groups/${group.id}/top-up`, { amount }, { 'idempotency-key': key })
    const answers = await Promise.all([topUp('5.000001', 'one'), topUp('5.000001', 'one'), topUp('5.000001', 'one')])
    for (const { json } of answers)
      expect(json.data.budget).toMatchObject({ limit: '25.000001', remaining: '25.000001' })
    expect((await topUp('6', 'one')).json.code).toBe('idempotency_key_reused')
    expect((await groupNow(group.id)).spendLimitUsdc).toBe('25.000001')
  })

  test('a group without a limit has nothing to top up; a limit beyond a billion is refused', async () => {
    const group = await createGroup({ spendLimit: null })
    const topUp = () => owner().post(`/api/policy-groups/${group.id}/top-up`, { amount: '1000000000' })
    expect(await topUp()).toMatchObject({ status: 422 })
    await owner().put(`/api/policy-groups/${group.id}`, { name: 'G', scopes: [], spendLimit: 1 })
    expect(await topUp()).toMatchObject({ status: 422, json: { field: 'amount' } })
  })
})

describe('bad input @policy-7', () => {
  const create = (body: Record<string, unknown>) =>
    owner().post('/api/policy-groups', { name: 'G', scopes: [], walletId: own.wallet, ...body })

  test.each(['0', '-1', '1.0000001', '1e3', '', 5, null, undefined, '5 USDC', {}])(
    'a top-up of %j is refused @policy-8',
    async (amount) => {
      const answer = await owner().post(`/api/policy-groups/${own.group}/top-up`, { amount })
      expect(answer, answer.text).toMatchObject({ status: 400, json: { code: 'invalid_input', field: 'amount' } })
    },
  )

  test.each([
    [{ maxPayment: 5 }, 'maxPayment'],
    [{ maxPayment: '0' }, 'maxPayment'],
    [{ periodBudget: { period: 'year', limit: '1' } }, 'periodBudget.period'],
    [{ periodBudget: { period: 'day' } }, 'periodBudget.limit'],
    [{ periodBudget: { period: 'day', limit: '1', from: 1 } }, 'periodBudget'],
    [{ emailDomains: [] }, 'emailDomains'],
    [{ emailDomains: ['not a domain'] }, 'emailDomains.0'],
    [{ phoneCodes: ['+4'] }, 'phoneCodes.0'],
    [{ phoneCodes: '+49' }, 'phoneCodes'],
    [{ maxUnclaimed: '1.2345678' }, 'maxUnclaimed'],
    [{ scopes: ['everything:write'] }, 'scopes.0'],
    [{ spendLimit: 0 }, 'spendLimit'],
    [{ spendLimit: '1.0000001' }, 'spendLimit'],
    [{ name: ' ' }, 'name'],
    [{ maxPayments: '5' }, 'maxPayments'],
    [{ maxSpeed: '5' }, ''],
    [{ maxPayments: { per: 'year', count: 1 } }, 'maxPayments.per'],
    [{ maxPayments: { per: 'day', count: 0 } }, 'maxPayments.count'],
    [{ maxPayments: { per: 'day', count: 1, whenExceeded: 'pay' } }, 'maxPayments.whenExceeded'],
    [{ rollingBudget: { hours: 721, limit: '1' } }, 'rollingBudget.hours'],
    [{ rollingBudget: { hours: 1.5, limit: '1' } }, 'rollingBudget.hours'],
    [{ perRecipient: { period: 'hour', limit: '1' } }, 'perRecipient.period'],
    [{ hours: { ...office, zone: 'Europe/Atlantis' } }, 'hours.zone'],
    [{ hours: { ...office, from: '25:00' } }, 'hours.from'],
    [{ hours: { ...office, to: '09:00' } }, 'hours.to'],
    [{ hours: { ...office, days: [] } }, 'hours.days'],
    [{ hosts: [{ pattern: 'not a host' }] }, 'hosts.0.pattern'],
    [{ hosts: [{ pattern: 'a.test' }, { pattern: 'b.test', maxAmount: '0' }] }, 'hosts.1.maxAmount'],
    [{ unverifiedSellers: null }, 'unverifiedSellers'],
    [{ unverifiedSellers: 'allow' }, 'unverifiedSellers'],
  ])('a group with %j is refused', async (body, field) => {
    const answer = await create(body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.json.code).toBe('invalid_input')
    if (field) expect(answer.json.field).toBe(field)
    const put = await owner().put(`/api/policy-groups/${own.group}`, { name: 'G', scopes: [], ...body })
    expect(put.status, put.text).toBe(400)
  })

  test.each([{ name: '' }, { name: 'x'.repeat(61) }, { name: 'A', memo: 'x'.repeat(201) }, { name: 'A', scopes: [] }])(
    'editing an agent to %j is refused @policy-9',
    async (body) => {
      expect((await owner().put(`/api/agents/${own.agent}`, body)).json).toMatchObject({ code: 'invalid_input' })
    },
  )

  test('regenerating a key and confirming a contact with a wrong body are refused', async () => {
    expect((await owner().post(`/api/agents/${own.agent}/regenerate-api-key`, { revokeNow: 'yes' })).status).toBe(400)
    expect(
      (await owner().post(`/api/policy-groups/${own.group}/contacts/${own.contact}/confirm`, { address })).status,
    ).toBe(400)
  })
})

describe('whitelisted contacts', () => {
  const contactGroup = async (contact: Record<string, unknown>) => {
    const made = await owner().post('/api/contacts', contact)
    const id = made.json.data.id as string
    const group = await createGroup({ whitelistedContactIds: [id] })
    return { id, group, pay: () => pay(group.apiKey, { to: { type: 'contact', contactId: id } }) }
  }

  test('a changed contact is refused until the owner confirms what was shown; editing the group does not confirm it @policy-10', async () => {
    const { id, group, pay } = await contactGroup({ name: 'Ada', address: fresh('a') })
    expect((await pay()).status).toBe(201)
    const moved = fresh('b')
    await owner().put(`/api/contacts/${id}`, { name: 'Ada L.', address: moved })
    const refused = await pay()
    expect(refused.json).toMatchObject({ code: 'contact_changed', rule: 'whitelist.snapshot' })
    const listed = await owner().get(`/api/transactions/${refused.json.payment_id}`)
    expect(listed.json.data.contact, 'lists say whom it was for').toEqual({ name: 'Ada L.' })
    await owner().put(`/api/policy-groups/${group.id}`, {
      name: 'Renamed',
      scopes: ['contact_payments:write'],
      whitelistedContactIds: [id],
    })
    expect((await pay()).json).toMatchObject({ code: 'contact_changed' })
    const confirm = (seen: unknown) => owner().post(`/api/policy-groups/${group.id}/contacts/${id}/confirm`, seen)
    const shown = (await groupNow(group.id)).whitelistedContacts[0]
    expect(shown).toMatchObject({ contact: { name: 'Ada L.' }, current: { address: moved, email: null, phone: null } })
    // The contact changes again while the owner looks at it.
    const third = fresh('c')
    await owner().put(`/api/contacts/${id}`, { name: 'Ada', address: third })
    expect(await confirm(shown.current)).toMatchObject({ status: 409 })
    expect((await pay()).json).toMatchObject({ code: 'contact_changed' })
    const confirmed = await confirm({ address: third, email: null, phone: null })
    expect(confirmed.json.data.whitelistedContacts[0]).toMatchObject({ stale: false, contact: { address: third } })
    const paid = await pay()
    expect(paid.json.to).toMatchObject({ contactId: id, address: third })
  })

  test('a contact that is removed between check and payment is not paid @policy-11', async () => {
    const { id, group, pay } = await contactGroup({ name: 'Bob', address: fresh('bob') })
    const checked = await owner().post(`/api/agents/${group.agent}/check`, {
      to: { type: 'contact', contactId: id },
      amount: '1',
    })
    expect(checked.json.data).toMatchObject({ allowed: true, refusal: null })
    expect((await owner().delete(`/api/contacts/${id}`)).status).toBe(200)
    expect((await pay()).json).toMatchObject({ code: 'recipient_not_allowed', rule: 'whitelist' })
    expect((await groupNow(group.id)).whitelistedContacts).toEqual([])
    const again = await owner().put(`/api/policy-groups/${group.id}`, {
      name: 'G',
      scopes: [],
      whitelistedContactIds: [id],
    })
    expect(again).toMatchObject({ status: 404, json: { field: 'whitelistedContactIds' } })
    // Deleting can be undone, but the contact stays off the whitelists until the owner adds it again.
    expect((await owner().post(`/api/contacts/${id}/restore`)).status).toBe(200)
    expect((await pay()).json).toMatchObject({ code: 'recipient_not_allowed' })
    const listed = await owner().put(`/api/policy-groups/${group.id}`, {
      name: 'G',
      scopes: ['contact_payments:write'],
      whitelistedContactIds: [id],
    })
    expect(listed.json.data.whitelistedContacts).toMatchObject([{ stale: false }])
    expect((await pay()).status).toBe(201)
  })

  test('a contact that changes while a group is created with it is stale from the start @policy-12', async () => {
    const made = await owner().post('/api/contacts', { name: 'Eve', address: fresh('e') })
    const { id, address: before } = made.json.data
    // The Treasury learns of the change first; the group is then created with the contact as it was before.
    await env.TREASURY.getByName(own.user)
      .policies()
      .contactChanged(id, { address: fresh('f'), email: null, phone: null })
    const group = await createGroup({ whitelistedContactIds: [id] })
    expect((await groupNow(group.id)).whitelistedContacts[0]).toMatchObject({
      stale: true,
      contact: { address: before },
    })
  })

  test('a group with 10,000 whitelisted contacts can be created, read in parts, edited and paid from @policy-13', async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `contact_many_${String(i).padStart(5, '0')}`)
    const now = Date.now()
    for (let i = 0; i < rows.length; i += 500)
      await env.DB.batch(
        rows
          .slice(i, i + 500)
          .map((id) =>
            env.DB.prepare(
              "INSERT INTO contact (id, user_id, name, address, search_text, created_at, updated_at) VALUES (?, ?, 'Contact', ?, 'contact', ?, ?)",
            ).bind(id, own.user, address, now, now),
          ),
      )
    const group = await createGroup({ whitelistedContactIds: rows })
    const read = await groupNow(group.id)
    expect([read.whitelistedContacts.length, read.whitelistedCount]).toEqual([100, 10_000])
    const listed = (await owner().get('/api/policy-groups')).json.data as PolicyGroup[]
    const inList = listed.find(({ id }) => id === group.id)!
    expect([inList.whitelistedContacts.length, inList.whitelistedCount]).toEqual([20, 10_000])
    const whole = await owner().get(`/api/policy-groups/${group.id}/whitelist`)
    expect(whole.json.data.contactIds).toEqual(rows)
    const groups = await owner().get(`/api/contacts/${rows[5]}/groups`)
    expect(groups.json.data).toEqual([{ id: group.id, name: 'Group' }])
    const context = async (query: string) =>
      (await api.call('GET', `/v1/context${query}`, { token: group.apiKey })).json
    expect(await context('')).toMatchObject({ contacts_total: 10_000, policy_group: { contacts: { length: 100 } } })
    await owner().put(`/api/contacts/${rows[7]}`, { name: 'Zoë', address })
    expect(await context('?contact=ZOË')).toMatchObject({
      contacts_total: 1,
      policy_group: { contacts: [{ id: rows[7], name: 'Zoë' }] },
    })
    expect((await api.call('GET', '/v1/context?contacts=x', { token: group.apiKey })).status).toBe(400)
    const to = { type: 'contact', contactId: rows[9_999] }
    expect((await pay(group.apiKey, { to })).status).toBe(201)
    const edited = await owner().put(`/api/policy-groups/${group.id}`, {
      name: 'G',
      scopes: ['contact_payments:write'],
      whitelistedContactIds: rows.slice(1),
    })
    expect(edited.json.data.whitelistedCount).toBe(9_999)
    expect((await pay(group.apiKey, { to: { ...to, contactId: rows[0] } })).json.code).toBe('recipient_not_allowed')
    expect((await pay(group.apiKey, { to })).status).toBe(201)
    expect(
      await owner().put(`/api/policy-groups/${group.id}`, {
        name: 'G',
        scopes: [],
        whitelistedContactIds: [...rows, 'one_more'],
      }),
    ).toMatchObject({ status: 400, json: { field: 'whitelistedContactIds' } })
    await owner().delete(`/api/policy-groups/${group.id}/cascade`)
    await env.DB.prepare("DELETE FROM contact WHERE id LIKE 'contact_many_%'").run()
  })
})

describe('changes that act on the next call @policy-14', () => {
  /** Keeps paying with these tokens, and records each response with the number of its call. */
  function createStream(tokens: string[]) {
    let on = true
    const answers: { callNumber: number; status: number; code: string | undefined }[] = []
    let turn = 0
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      while (on) {
        const callNumber = ++turn
        const { status, json } = await pay(tokens[lane % tokens.length]!, { amount: '0.01' })
        answers.push({ callNumber, status, code: json?.code })
        // Yields to other work, since a refusal never waits.
        await nextTurn()
      }
    })
    return {
      now: () => turn,
      answers,
      stop: async () => {
        on = false
        await Promise.all(lanes)
      },
      running: () => until('payments run', async () => answers.filter(({ status }) => status === 201).length >= 10),
    }
  }

  test.each([
    ['pausing the agent', (made: Made) => owner().post(`/api/agents/${made.agent}/pause`), 'agent_disabled'],
    ['pausing the group', (made: Made) => owner().post(`/api/policy-groups/${made.id}/pause`), 'agent_disabled'],
    ['pausing the account', () => owner().post('/api/account/pause'), 'agent_disabled'],
    ['pausing the wallet', () => owner().post(`/api/wallets/${own.wallet}/pause`), 'wallet_not_ready'],
    [
      'removing the scope',
      (made: Made) => owner().put(`/api/policy-groups/${made.id}`, { name: 'G', scopes: ['email_payments:write'] }),
      'insufficient_scope',
    ],
    ['deleting the agent', (made: Made) => owner().delete(`/api/agents/${made.agent}`), 'unauthenticated'],
    ['deleting the group', (made: Made) => owner().delete(`/api/policy-groups/${made.id}/cascade`), 'unauthenticated'],
    [
      'revoking both credentials',
      async (made: Made) => {
        await owner().post(`/api/agents/${made.agent}/regenerate-credentials`, { revokeNow: true })
        return owner().post(`/api/agents/${made.agent}/regenerate-api-key`, { revokeNow: true })
      },
      'unauthenticated',
    ],
  ] as const)('after %s every later call of a running agent is refused @policy-15', async (_, act, code) => {
    const made = await createGroup()
    const stream = createStream([await accessToken(api, made), made.apiKey])
    let from = 0
    try {
      await stream.running()
      const done = await act(made)
      expect(done.status, done.text).toBe(200)
      from = stream.now()
      await until('later calls', async () => stream.answers.filter(({ callNumber }) => callNumber > from).length >= 12)
    } finally {
      await stream.stop()
    }
    const later = stream.answers.filter(({ callNumber }) => callNumber > from)
    expect(new Set(later.map((answer) => answer.code))).toEqual(new Set([code]))
    // Whatever can be resumed pays again.
    await owner().post('/api/account/resume')
    await owner().post(`/api/wallets/${own.wallet}/resume`)
    await owner().post(`/api/agents/${made.agent}/resume`)
    await owner().post(`/api/policy-groups/${made.id}/resume`)
    if (code === 'agent_disabled' || code === 'wallet_not_ready')
      expect((await pay(made.apiKey, { amount: '0.01' })).status).toBe(201)
  })

  test('a paused agent cannot read either, and is told what to do; pausing twice changes nothing', async () => {
    const made = await createGroup()
    for (const stopped of [0, 0])
      expect((await owner().post(`/api/agents/${made.agent}/pause`)).json.data).toEqual({
        id: made.agent,
        paused: true,
        stoppedPayments: stopped,
      })
    for (const path of ['/v1/context', '/v1/payments', '/v1/payments/pay_1'])
      expect((await as(made.apiKey).get(path)).json, path).toMatchObject({
        status: 403,
        code: 'agent_disabled',
        rule: 'agent.paused',
        next: 'Ask the owner to resume it.',
      })
    const agents = (await owner().get('/api/agents')).json.data
    expect(agents.find(({ id }: { id: string }) => id === made.agent)).toMatchObject({ status: 'paused' })
    await owner().post('/api/account/pause')
    expect((await owner().get('/api/account')).json.data).toEqual({ paused: true, suspended: false, restored: null })
    await owner().post('/api/account/resume')
    expect((await owner().get('/api/account')).json.data).toEqual({ paused: false, suspended: false, restored: null })
  })

  test('a paused wallet does not pay, not even for its owner', async () => {
    const send = () =>
      owner().post('/api/transactions/send', { walletId: own.wallet, toAddress: fresh('x'), amount: '1' })
    await owner().post(`/api/wallets/${own.wallet}/pause`)
    expect((await groupNow(own.group)).wallet).toMatchObject({ paused: true })
    expect((await send()).json).toMatchObject({ code: 'wallet_not_ready' })
    await owner().post(`/api/wallets/${own.wallet}/resume`)
    expect((await send()).status).toBe(201)
  })
})

describe('race', () => {
  test('120 parallel payments never exceed a daily budget of 20, even while it is raised to 26 @policy-16', async () => {
    const payer = await createPayer({ funds: '300', limit: null, agents: 3 })
    const treasury = payer.treasury()
    const edit = (limit: string) =>
      treasury
        .policies()
        .editGroup(
          payer.group.id,
          groupEdit({ limits: { periodBudget: { period: 'day', limit: usdc(limit) }, maxUnclaimed: usdc('5') } }),
        )
    expect(await edit('20')).toMatchObject({ ok: true })
    const storm = () =>
      Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          treasury.payAsAgent(
            payer.payment({
              principal: payer.principals[i % 3]!,
              to: i % 4 === 0 ? { type: 'address', address } : { type: 'email', email: 'a@example.com' },
            }),
          ),
        ),
      )
    const accepted = (results: Awaited<ReturnType<typeof storm>>) => results.filter(({ ok }) => ok).length
    const first = await storm()
    expect(accepted(first)).toBe(20)
    expect(await payer.groupNow()).toMatchObject({ unclaimed: '5', periodBudget: { used: '20', remaining: '0' } })
    const [second] = await Promise.all([storm(), edit('26')])
    expect(accepted(second)).toBeLessThanOrEqual(6)
    const { periodBudget, held, currentSpent } = await payer.groupNow()
    expect(usdc(periodBudget!.used)).toBe(usdc(held) + usdc(currentSpent))
    expect(usdc(periodBudget!.used)).toBe(BigInt(20 + accepted(second)) * 1_000_000n)
  })
})

test.each<[string, RuleEdits, number]>([
  ['rollingBudget', { rollingBudget: { hours: 24, limit: usdc('20') } }, 20],
  ['maxPayments', { maxPayments: { per: 'hour', count: 20, whenExceeded: 'refuse' } }, 20],
  ['perRecipient', { perRecipient: { period: 'day', limit: usdc('20'), whenExceeded: 'refuse' } }, 20],
  ['maxNewRecipients', { maxNewRecipients: { per: 'day', count: 20, whenExceeded: 'refuse' } }, 20],
])('200 parallel payments pass exactly as often as %s allows @policy-29', async (rule, limits, allowed) => {
  const payer = await createPayer({ funds: '300', limit: null, agents: 3 })
  const treasury = payer.treasury()
  expect(await treasury.policies().editGroup(payer.group.id, groupEdit({ limits }))).toMatchObject({ ok: true })
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, i) => {
      const isNew = rule === 'maxNewRecipients'
      const to = isNew ? { type: 'email' as const, email: `a${i}@example.com` } : { type: 'address' as const, address }
      return treasury.payAsAgent(payer.payment({ principal: payer.principals[i % 3]!, to }))
    }),
  )
  expect(results.filter(({ ok }) => ok).length).toBe(allowed)
})

describe('credentials @policy-17', () => {
  test('a new API key works immediately, and the previous one for exactly 24 hours', async () => {
    const made = await createGroup()
    const answer = await owner().post(`/api/agents/${made.agent}/regenerate-api-key`)
    expect(answer.status, answer.text).toBe(200)
    const { apiKey, previousUntil } = answer.json.data
    expect(Date.parse(previousUntil)).toBe(api.clock.now + dayMs)
    const context = (token: string) => as(token).get('/v1/context')
    expect([(await context(apiKey)).status, (await context(made.apiKey)).status]).toEqual([200, 200])
    const agents = (await owner().get('/api/agents')).json.data
    expect(agents.find(({ id }: { id: string }) => id === made.agent)).toMatchObject({
      previousApiKeyUntil: previousUntil,
      previousSecretUntil: null,
    })
    const start = api.clock.now
    try {
      await setClock(own, () => api.clock.now)
      api.clock.now = Date.parse(previousUntil) - 1
      expect((await context(made.apiKey)).status).toBe(200)
      api.clock.now = Date.parse(previousUntil)
      expect((await context(made.apiKey)).status).toBe(401)
      expect((await context(apiKey)).status).toBe(200)
    } finally {
      api.clock.now = start
      await setClock(own, Date.now)
    }
  })

  test('a failed or repeated creation of an agent leaves no extra credentials behind', async () => {
    const stored = async () => (await rowsOf(own, 'SELECT hash FROM credential')).length
    const made = await createGroup()
    const before = await stored()
    expect(
      (await owner().post('/api/agents', { name: 'Agent', policyGroupId: 'grp_unknown' })).json,
      'no such group',
    ).toMatchObject({ code: 'not_found', field: 'policyGroupId' })
    expect(await stored()).toBe(before)

    const key = { 'idempotency-key': 'one-agent' }
    const body = { name: 'Agent', policyGroupId: made.id }
    const first = await owner().post('/api/agents', body, key)
    const again = await owner().post('/api/agents', body, key)
    expect(again.json.data.agent.id).toBe(first.json.data.agent.id)
    expect(await stored(), 'one secret and one key').toBe(before + 2)
    expect((await pay(first.json.data.apiKey)).status).toBe(201)
  })

  test('a key or secret that is revoked now stops working immediately, and so do tokens made from the secret', async () => {
    const made = await createGroup()
    const token = await accessToken(api, made)
    expect((await pay(token)).status).toBe(201)
    expect((await pay(made.apiKey)).status).toBe(201)
    const secret = await owner().post(`/api/agents/${made.agent}/regenerate-credentials`, { revokeNow: true })
    expect(secret.json.data).toMatchObject({ clientId: made.clientId, previousUntil: null })
    expect((await pay(token)).status).toBe(401)
    expect((await pay(made.apiKey)).status, 'the key is another credential').toBe(201)
    const key = await owner().post(`/api/agents/${made.agent}/regenerate-api-key`, { revokeNow: true })
    expect((await pay(made.apiKey)).status).toBe(401)
    expect((await pay(key.json.data.apiKey)).status).toBe(201)
    const fresh = await accessToken(api, { clientId: made.clientId, clientSecret: secret.json.data.clientSecret })
    expect((await pay(fresh)).status).toBe(201)
  })

  test('a revoked credential cannot even replay a payment that it made', async () => {
    const made = await createGroup()
    expect((await pay(made.apiKey, {}, 'same')).status).toBe(201)
    const replay = await pay(made.apiKey, {}, 'same')
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    await owner().post(`/api/agents/${made.agent}/regenerate-api-key`, { revokeNow: true })
    expect((await pay(made.apiKey, {}, 'same')).status).toBe(401)
  })
})

describe('deleting groups and agents', () => {
  test('deleting a group deletes its agents and credentials; its signed payments still settle and stay in the history @policy-18', async () => {
    const made = await createGroup()
    const second = await createAgent(made.id)
    const paid = await pay(made.apiKey)
    const paymentNow = async () => (await owner().get(`/api/transactions/${paid.json.id}`)).json.data
    await until('the payment is signed', async () => (await paymentNow()).status !== 'QUEUED')
    const removed = await owner().delete(`/api/policy-groups/${made.id}/cascade`)
    expect(removed.json.data).toEqual({ id: made.id, agents: 2, stoppedPayments: 0 })
    for (const { apiKey } of [made, second]) expect((await pay(apiKey)).status).toBe(401)
    expect(await groupNow(made.id)).toBeUndefined()
    expect((await owner().delete(`/api/policy-groups/${made.id}/cascade`)).status).toBe(404)
    expect((await owner().post('/api/agents', { name: 'A', policyGroupId: made.id })).status).toBe(404)
    const settled = await until('the signed payment is settled', async () => {
      const payment = await paymentNow()
      return ['CONFIRMED', 'FAILED'].includes(payment.status) && payment
    })
    expect(settled).toMatchObject({ status: 'CONFIRMED', agent: { name: 'Agent' } })
  })

  test('the spending of a deleted agent stays in its group’s figures @policy-19', async () => {
    const made = await createGroup()
    const other = await createAgent(made.id)
    expect((await pay(made.apiKey, { amount: '2' })).status).toBe(201)
    expect((await pay(other.apiKey, { amount: '3' })).status).toBe(201)
    expect((await owner().delete(`/api/agents/${made.agent}`)).status).toBe(200)
    const group = await groupNow(made.id)
    expect(group).toMatchObject({ agentCount: 1, formerAgents: { count: 1 }, remaining: '15' })
    const { spent, held } = group.formerAgents
    expect(Number(spent) + Number(held)).toBe(2)
  })
})

describe('trying a payment', () => {
  test('trying a payment returns the refusal it would get and the most that is allowed, and writes nothing @policy-20', async () => {
    const made = await createGroup({ maxPayment: '15' })
    await pay(made.apiKey, { amount: '8' })
    const check = (body: Record<string, unknown>) =>
      owner().post(`/api/agents/${made.agent}/check`, { to: { type: 'address', address }, ...body })
    const before = await groupNow(made.id)
    expect((await check({ amount: '12' })).json.data).toMatchObject({
      object: 'payment_check',
      allowed: true,
      amount: '12',
      max_allowed_now: '12',
      budget: { limit: '20', remaining: '12' },
    })
    expect((await check({ amount: '12.000001' })).json.data).toMatchObject({
      allowed: false,
      max_allowed_now: '12',
      refusal: { code: 'budget_exceeded', rule: 'group.budget', remaining: '12' },
    })
    expect((await check({ amount: '1', to: { type: 'phone', phone: '+4915112345678' } })).json.data).toMatchObject({
      allowed: false,
      max_allowed_now: '0',
      refusal: { code: 'insufficient_scope', rule: 'sms_payments:write' },
    })
    expect(await groupNow(made.id)).toEqual(before)
    expect((await owner().get(`/api/agents/${made.agent}/refusals`)).json.data).toEqual([])
    expect((await check({ amount: '1', to: { type: 'address', address: own.walletAddress } })).json).toMatchObject({
      code: 'invalid_input',
    })
  })

  test('an agent’s last refusals name the rule and the policy version @policy-21', async () => {
    // Another account, since the agents above have used up the number of refusals that are recorded per minute.
    const other = await createAccountFixture(api, { limit: 1 })
    await pay(other.apiKey, { amount: '2' })
    await pay(other.apiKey, { to: { type: 'phone', phone: '+4915112345678' } })
    const { data } = (await as(other.token).get(`/api/agents/${other.agent}/refusals`)).json
    expect(data).toMatchObject([
      { code: 'insufficient_scope', to: { type: 'phone', phone: '+4915112345678' }, policyVersion: 1 },
      { code: 'budget_exceeded', rule: 'group.budget', amount: '2', maxAllowedNow: '1' },
    ])
  })
})

test('a payment from a group whose wallet has no session key is refused with what to do next @policy-22', async () => {
  const stranger = await createAccountFixture(api)
  const revoke = encodeFunctionData({ abi: agentWalletAbi, functionName: 'revokeSession' })
  await chain.act(stranger.owner, stranger.walletAddress, revoke)
  await env.TREASURY.getByName(stranger.user).wallets().sessionKey(stranger.wallet)
  expect((await pay(stranger.apiKey)).json).toMatchObject({
    code: 'session_key_expired',
    next: 'Ask the owner to rotate the session key.',
  })
  expect((await stranger.groupNow()).wallet).toMatchObject({ canPay: false })
})
