/** Approvals as tasks (SEP-2663), message by message. tests/gateway/mcpTasks.test.ts uses an unmodified client. */

import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { endWaiters } from '../../worker/treasury/approvals/end.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { mcp } from '../support/mcpMessages.ts'
import { fresh, until } from '../support/payer.ts'
import { stopTimersOf } from '../support/stoppedTimers.ts'
import { env } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api)
const { name, scopes } = await own.groupNow()
await own.asOwner('PUT', `/policy-groups/${own.group}`, { name, scopes, approveAbove: '1' })

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
  const { json } = await own.asOwner('GET', `/approvals/${approvalId}`)
  const body = { hash: json.data.hash }
  expect((await own.asOwner('POST', `/approvals/${approvalId}/${decision}`, body)).status).toBe(200)
}

test('a payment that waits for approval is a task until the owner decides @mcp-34', async () => {
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
    expect((await ask('tasks/cancel', { taskId })).json.result, 'cancelling too late is no error').toMatchObject({
      resultType: 'complete',
    })
  }
})

test('cancelling a task cancels its payment @mcp-35', async () => {
  const { taskId } = (await pay('1.5')).json.result
  expect((await ask('tasks/update', { taskId, inputResponses: {} })).json.result).toMatchObject({
    resultType: 'complete',
  })
  await ask('tasks/cancel', { taskId })
  expect((await ask('tasks/get', { taskId })).json.result.status).toBe('cancelled')
  expect((await api.call('GET', `/v1/payments/${taskId}`, { token: own.apiKey })).json.status).toBe('CANCELLED')
})

test('tasks are for clients that declare the extension, and only for their own payments @mcp-36', async () => {
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
  expect(done.resultType, 'no approval is needed').toBe('complete')
  const stranger = await createAccountFixture(api)
  for (const [id, token] of [
    [done.structuredContent.id, own.apiKey],
    ['pay_unknown', own.apiKey],
    [taskId, stranger.apiKey],
  ])
    expect((await ask('tasks/get', { taskId: id }, knowsTasks, token)).json.error.code).toBe(-32602)
})

test('a listening client is notified immediately when its tasks end, with the same fields as tasks/get @mcp-37', async () => {
  const listen = async (taskIds: unknown, meta?: Record<string, unknown>, token?: string) => {
    const answer = await ask('subscriptions/listen', { notifications: { taskIds } }, meta, token)
    const data = answer.text.split('\n').filter((line) => line.startsWith('data: '))
    return { ...answer, messages: data.map((line) => JSON.parse(line.slice('data: '.length))) }
  }
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 }
  const acknowledged = (taskIds?: string[]) => ({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: taskIds ? { taskIds } : {}, _meta },
  })
  const end = { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', _meta } }
  const shown = async (taskId: string) => {
    const { resultType: _, _meta: __, ...task } = (await ask('tasks/get', { taskId })).json.result
    return { jsonrpc: '2.0', method: 'notifications/tasks', params: { ...task, _meta } }
  }
  const treasury = env.TREASURY.getByName(own.user) as unknown as DurableObjectStub<Treasury>
  const listeners = (n: number) =>
    until('listening', () =>
      runInDurableObject(treasury, async ({ context }: Treasury) => (endWaiters(context).size === n ? true : null)),
    )
  const created = async () => (await pay('1.5')).json.result

  const [denied, cancelled] = [await created(), await created()]
  const ids = [denied.taskId, cancelled.taskId]
  const heard = listen([...ids, 'pay_unknown'])
  await listeners(1)
  stopTimersOf(15_000) // of the next look
  await decide(denied.structuredContent.approval.id, 'deny')
  await listeners(1)
  await ask('tasks/cancel', { taskId: cancelled.taskId })
  const { status, messages } = await heard
  const ended = [await shown(denied.taskId), await shown(cancelled.taskId)]
  expect([status, messages]).toEqual([200, [acknowledged(ids), ...ended, end]])
  expect(ended[0]!.params).toMatchObject({ status: 'completed', result: { isError: true } })

  expect((await listen(ids)).messages, 'tasks that have already ended').toEqual([acknowledged(ids), ...ended, end])
  const stranger = await createAccountFixture(api)
  for (const none of [['pay_unknown'], []]) expect((await listen(none)).messages[0]).toEqual(acknowledged())
  expect((await listen(ids, knowsTasks, stranger.apiKey)).messages).toEqual([acknowledged(), end])
  expect((await listen(ids, {})).json.error).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
  })
  // Ten may listen at a time; the eleventh is acknowledged and ended.
  const open = await created()
  const many = Array.from({ length: 10 }, () => listen([open.taskId]))
  await listeners(10)
  expect((await listen([open.taskId])).messages).toEqual([acknowledged([open.taskId]), end])
  await ask('tasks/cancel', { taskId: open.taskId })
  for (const each of await Promise.all(many)) expect(each.messages).toHaveLength(3)
})
