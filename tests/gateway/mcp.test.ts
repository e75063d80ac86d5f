/** Standard MCP clients, unmodified, from discovery to a confirmed payment. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { until } from '../../local/client.ts'
import { usdc as units } from '../support/build.ts'
import { runClient } from '../support/clients.ts'
import { addressFor, chainReader } from '../support/stackClient.ts'
import { bursar, createAgent, rpcUrl, url, usdc } from './gateway.ts'
import { type Credentials, connectV1, connectV2, type McpClient } from './mcpClients.ts'

const chain = chainReader(rpcUrl, usdc)
/** The first and the last run in `npm test`: both versions of the client, both ways to authenticate. */
const clients: [name: string, connect: (agent: Credentials) => Promise<McpClient>, era: string][] = [
  ['client 2.4, 2026-07-28, OAuth', (agent) => connectV2(agent, { mode: '2026', auth: 'oauth' }), '2026-07-28'],
  ['client 2.4, 2026-07-28, API key', (agent) => connectV2(agent, { mode: '2026', auth: 'key' }), '2026-07-28'],
  ['client 2.4, 2025-11-25, OAuth', (agent) => connectV2(agent, { mode: '2025', auth: 'oauth' }), '2025-11-25'],
  ['client 2.4, 2025-11-25, API key', (agent) => connectV2(agent, { mode: '2025', auth: 'key' }), '2025-11-25'],
  ['sdk 1.32, OAuth', (agent) => connectV1(agent, { auth: 'oauth' }), '2025-11-25'],
  ['sdk 1.32, API key', (agent) => connectV1(agent, { auth: 'key' }), '2025-11-25'],
]

for (const [i, [name, connect, era]] of clients.entries())
  describe(`MCP ${name} @mcp-26`, { tags: i === 0 || i === clients.length - 1 ? [] : ['all'] }, () => {
    test('reads its budget, pays, repeats the call, is refused and lists the results', async () => {
      const agent = await createAgent()
      const { client, call } = await connect(agent)
      expect(client.getServerVersion().name).toBe('bursar')
      expect(client.getInstructions()).toContain('get_payment_context')
      if (client.getNegotiatedProtocolVersion) expect(client.getNegotiatedProtocolVersion()).toBe(era)
      const { tools } = await client.listTools()
      expect(tools).toHaveLength(13)

      const context = await call('get_payment_context')
      expect(context.structuredContent).toMatchObject({
        agent: { id: agent.id },
        budget: { limit: '20', remaining: '20' },
      })

      const to = addressFor(agent.id)
      const args = { address: to, amount: '1.25', memo: 'a test', idempotency_key: randomUUID() }
      const paid = await call('pay_address', args)
      expect(paid.isError, JSON.stringify(paid)).toBeFalsy()
      expect(JSON.parse(paid.content[0]!.text)).toEqual(paid.structuredContent)
      const again = await call('pay_address', args)
      expect(again.structuredContent).toMatchObject({ id: paid.structuredContent.id, replayed: true })

      const refused = await call('pay_address', { ...args, amount: '100', idempotency_key: randomUUID() })
      expect(refused.isError).toBe(true)
      expect(refused.structuredContent).toMatchObject({ code: 'budget_exceeded', max_allowed_now: '18.75' })
      const wrong = await call('pay_address', { ...args, amount: '-1', idempotency_key: randomUUID() })
      expect([wrong.isError, wrong.structuredContent.code]).toEqual([true, 'invalid_input'])

      await until('the payment', async () => {
        const { structuredContent } = await call('get_payment', { payment_id: paid.structuredContent.id })
        return structuredContent.status === 'CONFIRMED'
      })
      expect(await chain.balanceOf(to)).toBe(units('1.25'))
      const list = await call('list_payments', { limit: 5 })
      expect(list.structuredContent.data.map(({ status }: { status: string }) => status)).toEqual([
        'POLICY_REJECTED',
        'CONFIRMED',
      ])
      const late = await call('cancel_payment', { payment_id: paid.structuredContent.id })
      expect([late.isError, late.structuredContent.code]).toEqual([true, 'conflict'])
      await client.close()
    })
  })

test('an MCP client requests more scope after exactly one 403 if a tool needs it @mcp-27', async () => {
  // Its first token has all scopes that the group has then.
  const agent = await createAgent({ scopes: ['email_payments:write'] })
  const { client, call, exchanges } = await connectV2(agent, { mode: '2026', auth: 'oauth' })
  await call('get_payment_context')
  const { sender } = agent
  const scopes = ['address_payments:write', 'email_payments:write']
  const edit = { method: 'PUT' as const, token: await sender.token(), body: { name: 'Group', scopes } }
  await bursar.api(`/policy-groups/${sender.groupId}`, edit)
  exchanges.length = 0
  const paid = await call('pay_address', {
    address: addressFor(agent.id),
    amount: '1',
    idempotency_key: randomUUID(),
  })
  expect(paid.structuredContent).toMatchObject({ object: 'payment', amount: '1' })
  const calls = exchanges.filter((line) => line.startsWith('POST'))
  expect(calls).toEqual(['POST /mcp 403', 'POST /oauth/token 200', 'POST /mcp 200'])

  // The group lacks this scope, so another token would not help: the tool returns a refusal instead of a challenge.
  exchanges.length = 0
  const refused = await call('pay_phone', { phone: '+14155550123', amount: '1', idempotency_key: randomUUID() })
  expect([refused.isError, refused.structuredContent.code]).toEqual([true, 'insufficient_scope'])
  expect(exchanges).toEqual(['POST /mcp 200'])
  await client.close()
})

test('an MCP client that gives up on a reply and repeats the call pays once @mcp-28', async () => {
  const agent = await createAgent()
  const { client, call } = await connectV2(agent, { mode: '2026', auth: 'key' })
  const args = { address: addressFor(agent.id), amount: '2', idempotency_key: randomUUID() }
  const impatient = client.callTool({ name: 'pay_address', arguments: args }, { signal: AbortSignal.timeout(1) })
  await expect(impatient).rejects.toThrow()
  const paid = await call('pay_address', args)
  const { structuredContent } = await call('list_payments')
  expect(structuredContent.data.map(({ id }: { id: string }) => id)).toEqual([paid.structuredContent.id])
  await client.close()
})

describe('MCP Inspector CLI @mcp-29', { tags: ['all'] }, () => {
  async function inspect(apiKey: string, ...args: string[]) {
    const header = ['--header', `Authorization: Bearer ${apiKey}`]
    const all = ['--cli', `${url}/mcp`, '--transport', 'http', ...header, ...args]
    const done = await runClient('@modelcontextprotocol/inspector/clients/launcher/build/index.js', all)
    return { ...done, json: done.stdout.trim().startsWith('{') ? JSON.parse(done.stdout) : null }
  }

  test('lists the tools and pays', async () => {
    const agent = await createAgent()
    const listed = await inspect(agent.apiKey, '--method', 'tools/list')
    expect(listed.json?.tools, listed.stderr).toHaveLength(13)
    const tool = ['--method', 'tools/call', '--tool-name', 'pay_address']
    const args = { address: addressFor(agent.id), amount: '1.5', idempotency_key: randomUUID() }
    const toolArgs = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${JSON.stringify(value)}`])
    const paid = await inspect(agent.apiKey, ...tool, ...toolArgs)
    expect(paid.json?.structuredContent, paid.stderr + paid.stdout).toMatchObject({ object: 'payment', amount: '1.5' })
    const { body } = await bursar.call<{ status: string }>(`/v1/payments/${paid.json.structuredContent.id}`, {
      token: agent.apiKey,
    })
    expect(body.status).toMatch(/PROCESSING|CONFIRMED/)
  })

  test('gets 401 with an unknown API key', async () => {
    const { code, stdout, stderr } = await inspect('bk_unknown', '--method', 'tools/list')
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('auth_required')
  })
})
