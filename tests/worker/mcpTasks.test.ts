/** Approvals as tasks (SEP-2663), message by message. The unmodified client: tests/gateway/mcpTasks.test.ts. */
import { beforeAll, expect, test } from 'vitest'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { mcp } from '../support/mcpMessages.ts'
import { fresh } from '../support/payer.ts'
import type { Api } from './apiClient.ts'

let api: Api
let own: AccountFixture
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api)
  const { name, scopes } = await own.groupNow()
  const body = { name, scopes, approveAbove: '1' }
  await api.call('PUT', `/api/policy-groups/${own.group}`, { token: own.token, body })
}, 60_000)

const knowsTasks = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
}
const ask = (
  method: string,
  params: Record<string, unknown>,
  meta: Record<string, unknown> = knowsTasks,
  token = own.apiKey,
) =>
  mcp(api, method, params, {
    token,
    meta,
    ...(typeof params.taskId === 'string' && { headers: { 'mcp-name': params.taskId } }),
  })
const pay = (amount: string, meta?: Record<string, unknown>) => {
  const args = { address: fresh('task'), amount, idempotency_key: crypto.randomUUID() }
  return ask('tools/call', { name: 'pay_address', arguments: args }, meta)
}
const decide = async (approvalId: string, decision: string) => {
  const { json } = await api.call('GET', `/api/approvals/${approvalId}`, { token: own.token })
  const body = { hash: json.data.hash }
  expect((await api.call('POST', `/api/approvals/${approvalId}/${decision}`, { token: own.token, body })).status).toBe(
    200,
  )
}

test('a payment that waits is a task until the owner has decided @mcp-34', async () => {
  for (const [decision, ending] of [
    [
      'approve',
      {
        status: 'completed',
        result: { resultType: 'complete', structuredContent: { object: 'payment', replayed: false } },
      },
    ],
    [
      'deny',
      {
        status: 'completed',
        result: { resultType: 'complete', isError: true, structuredContent: { code: 'approval_denied' } },
      },
    ],
  ] as const) {
    const created = (await pay('1.5')).json
    expect(created.result, JSON.stringify(created)).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: expect.any(Number),
      structuredContent: { status: 'PENDING_APPROVAL' },
    })
    for (const field of ['result', 'error', 'inputRequests', 'task', 'requestState'])
      expect(created.result).not.toHaveProperty(field)
    const { taskId, structuredContent } = created.result
    const working = (await ask('tasks/get', { taskId })).json.result
    expect(working).toMatchObject({ resultType: 'complete', taskId, status: 'working' })
    await decide(structuredContent.approval.id, decision)
    expect((await ask('tasks/get', { taskId })).json.result).toMatchObject({ taskId, ...ending })
    expect((await ask('tasks/cancel', { taskId })).json.result, 'too late is no error').toMatchObject({
      resultType: 'complete',
    })
  }
})

test('cancelling the task takes the payment back @mcp-35', async () => {
  const { taskId } = (await pay('1.5')).json.result
  expect((await ask('tasks/update', { taskId, inputResponses: {} })).json.result).toMatchObject({
    resultType: 'complete',
  })
  await ask('tasks/cancel', { taskId })
  expect((await ask('tasks/get', { taskId })).json.result.status).toBe('cancelled')
  expect((await api.call('GET', `/v1/payments/${taskId}`, { token: own.apiKey })).json.status).toBe('CANCELLED')
})

test('only for those who declare it, and only their own tasks @mcp-36', async () => {
  const plain = (await pay('1.5', {})).json.result
  expect(plain).toMatchObject({ resultType: 'complete', structuredContent: { status: 'PENDING_APPROVAL' } })
  expect(plain).not.toHaveProperty('taskId')
  const taskId = plain.structuredContent.id
  for (const method of ['tasks/get', 'tasks/cancel'])
    expect((await ask(method, { taskId }, {})).json.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  const done = (await pay('0.5')).json.result
  expect(done.resultType, 'nobody is asked').toBe('complete')
  const stranger = await createAccountFixture(api)
  for (const [id, token] of [
    [done.structuredContent.id, own.apiKey],
    ['pay_unknown', own.apiKey],
    [taskId, stranger.apiKey],
  ])
    expect((await ask('tasks/get', { taskId: id }, knowsTasks, token)).json.error.code).toBe(-32602)
}, 30_000)
