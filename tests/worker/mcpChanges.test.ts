/** An owner's changes apply to an agent's next MCP call with any token. Also cancelling, and long whitelists. */

import { afterEach, expect, test } from 'vitest'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { groupInput } from '../support/build.ts'
import { callTool, legacyCall, mcp } from '../support/mcpMessages.ts'
import { chain, fresh } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { accessToken, env } from './apiClient.ts'

const api = await createTestApp()
afterEach(() => chain.fault({ mode: 'none' }))

async function createAgent(over: Parameters<typeof createAccountFixture>[1] = {}) {
  const own = await createAccountFixture(api, over)
  return { own, token: await tokenOf(own) }
}
const tokenOf = (own: AccountFixture, scope: { scope?: string } = {}) =>
  accessToken(api, own, { resource: `${env.API_ORIGIN}/mcp`, ...scope })
const payment = (amount = '0.1') => ({ address: fresh('x'), amount, idempotency_key: crypto.randomUUID() })
const owner = (own: AccountFixture, method: string, path: string, body?: unknown) =>
  api.call(method, path, { token: own.token, ...(body !== undefined && { body }) })

test('a deleted agent gets 401 with both credentials on its next call, even while calls are running @mcp-13', async () => {
  const { own, token } = await createAgent()
  expect((await callTool(api, token, 'pay_address', payment())).refused).toBe(false)
  const running = Array.from({ length: 10 }, () => callTool(api, token, 'pay_address', payment()))
  const deleted = await owner(own, 'DELETE', `/api/agents/${own.agent}`)
  expect(deleted.status, deleted.text).toBe(200)
  for (const credential of [token, own.apiKey])
    for (const [name, args] of [
      ['pay_address', payment()],
      ['get_payment_context', {}],
      ['list_payments', {}],
    ] as const) {
      const answer = await mcp(api, 'tools/call', { name, arguments: args }, { token: credential })
      expect([answer.status, answer.json.error?.data.code], answer.text).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  const older = await legacyCall(api, token, 'tools/call', { name: 'pay_address', arguments: payment() })
  expect([older.status, older.json.error?.data.code], 'under the 2025 protocol, too').toEqual([401, 'unauthenticated'])
  expect(older.headers.get('www-authenticate')).toContain('error="invalid_token"')
  const outcomes = await Promise.all(running)
  for (const { status, refused } of outcomes) expect(status === 401 || !refused).toBe(true)
  const { totalTransactions } = (await owner(own, 'GET', '/api/policy-groups')).json.data[0]
  expect(totalTransactions).toBe(1 + outcomes.filter(({ status }) => status === 200).length)
})

test('a paused agent or group is refused with its rule, and can pay again after resuming @mcp-14', async () => {
  const { own, token } = await createAgent()
  const subjects = [`/api/agents/${own.agent}`, `/api/policy-groups/${own.group}`]
  for (const subject of subjects) {
    expect((await owner(own, 'POST', `${subject}/pause`, {})).status, subject).toBe(200)
    const { status, refused, content } = await callTool(api, token, 'pay_address', payment())
    expect([status, refused, content.code], subject).toEqual([200, true, 'agent_disabled'])
    expect(content.next).toContain('owner')
    expect((await owner(own, 'POST', `${subject}/resume`, {})).status, subject).toBe(200)
    expect((await callTool(api, token, 'pay_address', payment())).refused, subject).toBe(false)
  }
})

test('a scope removed from the group is refused although the token has it @mcp-15', async () => {
  const { own, token } = await createAgent()
  const group = (await owner(own, 'GET', '/api/policy-groups')).json.data[0]
  const body = { name: group.name, version: group.version, scopes: ['contact_payments:write'] }
  const edited = await owner(own, 'PUT', `/api/policy-groups/${own.group}`, body)
  expect(edited.status, edited.text).toBe(200)
  const { status, content } = await callTool(api, token, 'pay_address', payment())
  expect([status, content.code, content.rule]).toEqual([200, 'insufficient_scope', 'address_payments:write'])
  const contact = { contact_id: own.contact, amount: '0.1', idempotency_key: crypto.randomUUID() }
  expect((await callTool(api, token, 'pay_contact', contact)).refused).toBe(false)
})

test('an unsigned payment can be cancelled once, and its budget is released @mcp-16', async () => {
  const { own, token } = await createAgent({ limit: 5 })
  expect((await callTool(api, token, 'pay_address', payment())).refused).toBe(false)
  await chain.fault({ mode: 'down' })
  // Without a block to derive the deadline from, nothing is signed.
  await inTreasury(own, (treasury) => heads(treasury.context).clear())
  const { content: waiting } = await callTool(api, token, 'pay_address', payment('0.01'))
  expect(waiting.status, JSON.stringify(waiting)).toBe('QUEUED')
  const before = (await callTool(api, token, 'get_payment_context')).content.budget
  const reader = await tokenOf(own, { scope: 'payment_context:read' })
  const challenged = await mcp(
    api,
    'tools/call',
    { name: 'cancel_payment', arguments: { payment_id: waiting.id } },
    { token: reader },
  )
  expect([challenged.status, challenged.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringContaining('scope="address_payments:write"'),
  ])
  for (let i = 0; i < 2; i++) {
    const { refused, content } = await callTool(api, token, 'cancel_payment', { payment_id: waiting.id })
    expect([refused, content.status, content.id]).toEqual([false, 'CANCELLED', waiting.id])
  }
  const after = (await callTool(api, token, 'get_payment_context')).content.budget
  expect(Number(after.held).toFixed(2)).toBe((Number(before.held) - 0.01).toFixed(2))
})

test('the payment context lists a hundred of 10,000 whitelisted contacts, and a search finds any of them @mcp-17', async () => {
  const { own } = await createAgent()
  const contacts = Array.from({ length: 10_000 }, (_, i) => ({
    id: `ct_${i}`,
    name: `Contact ${i}`,
    address: null,
    email: `c${i}@example.com`,
    phone: null,
  }))
  await env.TREASURY.getByName(own.user)
    .policies()
    .createGroup(groupInput({ name: 'Many', walletId: own.wallet, contacts }))
  const groups = (await owner(own, 'GET', '/api/policy-groups')).json.data
  const many = groups.find(({ name }: { name: string }) => name === 'Many')
  const made = await owner(own, 'POST', '/api/agents', { name: 'B', policyGroupId: many.id })
  const { apiKey } = made.json.data
  const { content } = await callTool(api, apiKey, 'get_payment_context')
  expect([content.contacts_total, content.policy_group.contacts.length]).toEqual([10_000, 100])
  const found = await callTool(api, apiKey, 'get_payment_context', { contact: 'c9876@' })
  expect(found.content.policy_group.contacts).toMatchObject([{ id: 'ct_9876', name: 'Contact 9876' }])
})
