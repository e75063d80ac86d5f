/** Approvals as tasks, with the unmodified client of the tasks extension and with clients that lack it. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Approval, ApprovalList } from '#schemas/approval.ts'
import { until } from '../../local/client.ts'
import { usdc as units } from '../support/build.ts'
import { importClient } from '../support/clients.ts'
import { patient } from '../support/patience.ts'
import { addressFor, chainReader } from '../support/stackClient.ts'
import { openTaskSession } from '../support/taskSession.ts'
import { bursar, createAgent, rpcUrl, url, usdc } from './gateway.ts'
import { connectV2 } from './mcpClients.ts'

const chain = chainReader(rpcUrl, usdc)
type Agent = Awaited<ReturnType<typeof createAgent>>

/** An agent whose payments above 1 USDC wait for its owner. */
async function createAskingAgent(): Promise<Agent> {
  const agent = await createAgent()
  const { sender } = agent
  const body = { name: 'Group', scopes: ['address_payments:write'], approveAbove: '1' }
  await bursar.api(`/policy-groups/${sender.groupId}`, { token: await sender.token(), method: 'PUT', body })
  return agent
}

const waiting = ({ sender }: Agent) =>
  until('a pending approval', async () => {
    const { approvals } = await bursar.api<ApprovalList>('/approvals?status=pending', { token: await sender.token() })
    return approvals[0]
  })
const decide = async ({ sender }: Agent, { id, hash }: Approval, decision: 'approve' | 'deny') =>
  bursar.api<Approval>(`/approvals/${id}/${decision}`, { token: await sender.token(), body: { hash } })

const openSession = ({ apiKey }: Agent) => openTaskSession(url, apiKey)

test('ext-tasks: a payment that needs approval becomes a task, which completes once approved @mcp-31', async () => {
  const agent = await createAskingAgent()
  const { session, close, resultOf } = await openSession(agent)
  const to = addressFor(`task ${agent.id}`)
  const args = { address: to, amount: '1.5', idempotency_key: randomUUID() }
  const execution = await session.callTool('pay_address', args)
  expect(execution.kind).not.toBe('immediate')
  const settled = execution.settle()
  const card = await waiting(agent)
  await decide(agent, card, 'approve')
  const result = resultOf((await settled).outcome)
  expect(result.isError ?? false, JSON.stringify(result)).toBe(false)
  expect(result.structuredContent).toMatchObject({ id: card.payment?.id, amount: '1.5' })
  await until('the payment on chain', async () => (await chain.balanceOf(to)) === units('1.5'))
  await close()
})

test('ext-tasks: a denied payment completes with an error, and one below the limit returns immediately @mcp-32', async () => {
  const agent = await createAskingAgent()
  const { session, close, resultOf } = await openSession(agent)
  const args = { address: addressFor(`deny ${agent.id}`), amount: '1.5', idempotency_key: randomUUID() }
  const execution = await session.callTool('pay_address', args)
  const settled = execution.settle()
  await decide(agent, await waiting(agent), 'deny')
  const result = resultOf((await settled).outcome)
  expect(result).toMatchObject({ isError: true, structuredContent: { code: 'approval_denied' } })
  const small = await session.callTool('pay_address', { ...args, amount: '0.5', idempotency_key: randomUUID() })
  expect(small.kind).toBe('immediate')
  await close()
})

test('ext-tasks: a client that listens to its task is notified when the task completes @mcp-38', {
  tags: ['all'],
}, async () => {
  const agent = await createAskingAgent()
  const { client, heard, session, close, resultOf } = await openSession(agent)
  const args = { address: addressFor(`listen ${agent.id}`), amount: '1.5', idempotency_key: randomUUID() }
  const execution = await session.callTool('pay_address', args)
  const settled = execution.settle()
  const card = await waiting(agent)
  const taskId = card.payment?.id
  await client.listen({ taskIds: [taskId] })
  await decide(agent, card, 'approve')
  await until('a notification', async () => heard.find(({ method }) => method === 'notifications/tasks'))
  const { TaskStatusNotificationV2Schema } = await importClient('@modelcontextprotocol/ext-tasks/dist/core/v2/index.js')
  const notice = TaskStatusNotificationV2Schema.parse({ jsonrpc: '2.0', ...heard[0] })
  expect(notice.params).toMatchObject({ taskId, status: 'completed', result: { structuredContent: { amount: '1.5' } } })
  expect(resultOf((await settled).outcome).structuredContent).toMatchObject({ id: taskId, amount: '1.5' })
  await close()
})

test.each(['2026', '2025'] as const)(
  'a client without tasks (%s) gets the pending result and reads the outcome with get_payment @mcp-33',
  async (mode) => {
    const agent = await createAskingAgent()
    const { client, call } = await connectV2(agent, { mode, auth: 'key' })
    const args = { address: addressFor(`plain ${agent.id}`), amount: '1.5', idempotency_key: randomUUID() }
    const pending = await call('pay_address', args)
    expect(pending.isError ?? false).toBe(false)
    expect(pending.structuredContent).toMatchObject({ status: 'PENDING_APPROVAL', approval: { status: 'PENDING' } })
    await decide(agent, await waiting(agent), 'approve')
    const { id } = pending.structuredContent
    await until('confirmed', async () => {
      const { structuredContent } = await call('get_payment', { payment_id: id })
      return structuredContent.status === 'CONFIRMED' && structuredContent.approval.status === 'APPROVED'
    })
    await client.close()
  },
  patient(60_000),
)
