/** The protocol of /mcp. mcpTools.test.ts covers what its tools do. */
import { describe, expect, test } from 'vitest'
import { agentCalls } from '../../worker/services/quotas.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { modern } from '../support/mcpEnvelope.ts'
import { callTool, legacy, legacyCall, mcp } from '../support/mcpMessages.ts'
import { accessToken, env } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api)

const resource = `${env.API_ORIGIN}/mcp`

describe('access control', () => {
  test('missing, invalid or foreign credentials get a 401 that says where to get a token @mcp-1', async () => {
    const forRest = await accessToken(api, own, { resource: `${env.API_ORIGIN}/v1` })
    for (const token of [undefined, 'bk_unknown', 'x.y.z', own.token, forRest]) {
      const answer = await mcp(api, 'tools/list', {}, token === undefined ? {} : { token })
      expect(answer.status, token).toBe(401)
      const challenge = answer.headers.get('www-authenticate')
      expect(challenge).toContain(`resource_metadata="${env.API_ORIGIN}/.well-known/oauth-protected-resource/mcp"`)
      expect(challenge).toContain('payment_context:read"')
      expect(challenge?.includes('error="invalid_token"'), token).toBe(token !== undefined)
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32000, data: { code: 'unauthenticated' } } })
    }
  })

  test('an access token for /mcp and an API key identify the same agent', async () => {
    for (const token of [await accessToken(api, own, { resource }), own.apiKey]) {
      const { content } = await callTool(api, token, 'get_payment_context')
      expect(content.agent.id).toBe(own.agent)
    }
  })

  test('a client that begins again with a revoked token is refused, in both protocols, so that it asks for consent @mcp-39', async () => {
    const token = await accessToken(api, own, { resource })
    const hello = { protocolVersion: legacy, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const begin = async () => [
      await legacyCall(api, token, 'initialize', hello),
      await mcp(api, 'server/discover', {}, { token }),
      await mcp(api, 'tools/list', {}, { token }),
    ]
    for (const { status, text } of await begin()) expect(status, text).toBe(200)
    const { clientId: client_id, clientSecret: client_secret } = own
    const raw = new URLSearchParams({ token, client_id, client_secret }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await api.call('POST', '/oauth/revoke', { raw, headers })).status).toBe(200)
    for (const { status, headers: replied } of await begin()) {
      expect(status).toBe(401)
      expect(replied.get('www-authenticate')).toContain('error="invalid_token"')
    }
  })

  test('a token in the URL is ignored', async () => {
    const answer = await api.call('POST', `/mcp?access_token=${own.apiKey}`, { body: {} })
    expect(answer.status).toBe(401)
  })

  test('a token that lacks a scope is challenged with it, and a new token with the scope passes @mcp-2', async () => {
    const reader = await accessToken(api, own, { resource, scope: 'payment_context:read' })
    const pay = { name: 'pay_address', arguments: {} }
    const challenged = await mcp(api, 'tools/call', pay, { token: reader })
    expect(challenged.status, challenged.text).toBe(403)
    const challenge = challenged.headers.get('www-authenticate')!
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="address_payments:write"')
    expect(challenge).toContain('resource_metadata="')

    const [, scope] = /scope="([^"]+)"/.exec(challenge)!
    const writer = await accessToken(api, own, { resource, scope: scope! })
    const { status, content } = await callTool(api, writer, 'pay_address', {})
    expect([status, content.code]).toEqual([200, 'invalid_input'])
  })

  test('if the group lacks the scope, the tool says to ask the owner @mcp-3', async () => {
    const reader = await accessToken(api, own, { resource, scope: 'payment_context:read' })
    const args = { phone: '+14155550123', amount: '1', idempotency_key: crypto.randomUUID() }
    for (const token of [reader, own.apiKey]) {
      const { status, refused, content } = await callTool(api, token, 'pay_phone', args)
      expect([status, refused, content.code, content.rule]).toEqual([
        200,
        true,
        'insufficient_scope',
        'sms_payments:write',
      ])
      expect(content.next).toContain('sms_payments:write')
    }
  })
})

describe('transport', () => {
  test('/mcp accepts POST only and keeps no sessions @mcp-4', async () => {
    for (const path of ['/mcp', '/mcp/'])
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
        const answer = await api.call(method, path, { token: own.apiKey })
        expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'POST'])
      }
    const headers = { 'mcp-session-id': 'made-up', 'last-event-id': '7' }
    const answer = await mcp(api, 'tools/list', {}, { token: own.apiKey, headers })
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null])
  })

  test('requests whose headers do not match the body are refused @mcp-5', async () => {
    const call = { name: 'get_payment_context', arguments: {} }
    const cases: Record<string, string | undefined>[] = [
      { 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-method': 'tools/list' },
      { 'mcp-method': undefined },
      { 'mcp-name': 'pay_address' },
      { 'mcp-name': undefined },
      { 'mcp-name': '=?base64?cGF5X2FkZHJlc3M=?=' }, // pay_address
    ]
    for (const headers of cases) {
      const answer = await mcp(api, 'tools/call', call, { token: own.apiKey, headers })
      expect([answer.status, answer.json.error.code], JSON.stringify(headers)).toEqual([400, -32020])
    }
    const encoded = { 'mcp-name': `=?base64?${btoa('get_payment_context')}?=` }
    expect((await mcp(api, 'tools/call', call, { token: own.apiKey, headers: encoded })).status).toBe(200)
  })

  test('unknown protocol versions, methods and tools get their JSON-RPC errors @mcp-6', async () => {
    const future = '2099-01-01'
    const version = await mcp(
      api,
      'tools/list',
      {},
      {
        token: own.apiKey,
        headers: { 'mcp-protocol-version': future },
        meta: { 'io.modelcontextprotocol/protocolVersion': future },
      },
    )
    expect([version.status, version.json.error.code]).toEqual([400, -32022])
    expect(version.json.error.data.supported).toContain(modern)

    const method = await mcp(api, 'tools/steal', {}, { token: own.apiKey })
    expect([method.status, method.json.error.code]).toEqual([404, -32601])
    for (const notOffered of ['resources/subscribe', 'prompts/list', 'completion/complete']) {
      const answer = await mcp(api, notOffered, {}, { token: own.apiKey })
      expect(answer.json.error.code, notOffered).toBe(-32601)
    }
    const unknown = await mcp(api, 'tools/call', { name: 'pay_everyone', arguments: {} }, { token: own.apiKey })
    expect(unknown.json.error.code).toBe(-32602)
  })

  test('bodies that are not a single valid message are refused @mcp-7', async () => {
    const send = (raw: string, headers: Record<string, string> = {}) =>
      api.call('POST', '/mcp', {
        token: own.apiKey,
        raw,
        headers: { accept: 'application/json, text/event-stream', ...headers },
      })
    expect((await send('{', {})).json.error.code).toBe(-32700)
    for (const raw of ['[]', '1', 'null', '{}', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'])
      expect((await send(raw)).status, raw).toBe(400)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await send(JSON.stringify(ping))).status).toBe(200)
    const batch = await send(JSON.stringify([ping, { ...ping, id: 2 }]))
    expect([batch.status, batch.json.error.data.code]).toEqual([400, 'invalid_input'])
    expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send(`{"padding":"${'x'.repeat(70_000)}"}`)).status).toBe(413)
    const nulls = await mcp(
      api,
      'tools/call',
      { name: 'get_payment', arguments: { payment_id: 'a\0b' } },
      { token: own.apiKey },
    )
    expect([nulls.status, nulls.json.error.data.code]).toEqual([400, 'invalid_input'])
  })

  test('calls to /mcp and /v1 count against one quota per agent @mcp-8', async () => {
    const other = await createAccountFixture(api)
    const ask = () => mcp(api, 'tools/list', {}, { token: other.apiKey })
    expect((await ask()).headers.get('ratelimit')).toMatch(/^"agent";r=\d+;t=\d+$/)
    while (agentCalls.take(other.agent, api.clock.now) > 0);
    const { status, headers, json } = await ask()
    expect([status, json.error.data.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    const rest = await api.call('GET', '/v1/context', { token: other.apiKey })
    expect(rest.status).toBe(429)
    expect((await mcp(api, 'tools/list', {}, { token: own.apiKey })).status).toBe(200)
  })

  test('requests from other websites are refused; those from our own pages, extensions and programs need a token @mcp-9', async () => {
    const from = (origin: string, token?: string) =>
      mcp(api, 'tools/list', {}, { ...(token && { token }), headers: { origin } })
    for (const origin of [
      ...['https://evil.example', 'http://localhost:3001.evil.example', 'https://127.0.0.1.evil.example'],
      ...['http://evil.example', 'HTTPS://EVIL.example', 'https://localhost.evil.example', 'http://[2001:db8::1]:3001'],
    ])
      expect((await from(origin, own.apiKey)).status, origin).toBe(403)
    for (const origin of [
      ...['chrome-extension://abcdefghijklmnop', 'moz-extension://6f1c', 'safari-web-extension://x', 'null', 'file://'],
      ...['http://localhost:6274', 'http://127.0.0.1:9', 'vscode-webview://x', env.API_ORIGIN, env.APP_ORIGIN],
    ]) {
      expect((await from(origin, own.apiKey)).status, origin).toBe(200)
      expect((await from(origin, 'bk_unknown')).status, origin).toBe(401)
    }
    expect((await mcp(api, 'tools/list', {}, { token: own.apiKey })).status).toBe(200)
  })

  test.each([
    ...[undefined, '*/*', 'application/json', 'application/json, application/mcp+json', 'text/event-stream'],
    'application/json, text/event-stream',
  ])('a client that accepts %s gets a result in both protocols @mcp-47', async (accept) => {
    const call = { name: 'get_payment_context', arguments: {} }
    const headers = { accept }
    const now = await mcp(api, 'tools/call', call, { token: own.apiKey, headers })
    const before = await api.call('POST', '/mcp', {
      ...{ token: own.apiKey, headers: accept === undefined ? {} : { accept } },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    })
    const type = accept === 'text/event-stream' ? 'text/event-stream' : 'application/json'
    const isEither = accept?.includes(',') && accept.includes('stream')
    for (const [era, reply] of [
      ['2026', now],
      ['2025', before],
    ] as const) {
      expect(reply.status, reply.text).toBe(200)
      expect(reply.text).toContain('contacts_total')
      if (!isEither) expect(reply.headers.get('content-type'), era).toContain(type)
    }
    const hello = { protocolVersion: legacy, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const asked = await api.call('POST', '/mcp/', {
      ...{ token: 'bk_unknown', headers: accept === undefined ? {} : { accept } },
      body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
    })
    expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('resource_meta'),
    ])
  })

  test('notifications need a client that accepts a stream @mcp-48', async () => {
    const listen = (accept: string) =>
      mcp(api, 'subscriptions/listen', { notifications: {} }, { token: own.apiKey, headers: { accept } })
    const { status, json } = await listen('application/json')
    expect([status, json.error.data.code]).toEqual([400, 'invalid_input'])
  })

  test('a slash at the end of an address changes nothing, and what is not there is JSON @mcp-49', async () => {
    const { json } = await api.call('POST', '/mcp/', {
      ...{ token: own.apiKey, headers: { accept: 'application/json' } },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    expect(json.result.tools).toHaveLength(13)
    for (const path of [
      ...['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server', '/v1/context'],
      ...['/.well-known/jwks.json', '/openapi.json', '/api/health'],
    ]) {
      const [plain, slash] = [path, `${path}/`].map((each) => api.call('GET', each, { token: own.apiKey }))
      expect([(await slash!).status, (await slash!).text], path).toEqual([200, (await plain!).text])
    }
    expect((await api.call('GET', '/docs/')).text).toContain('Bursar for agents')
    for (const path of ['/mcp/.well-known/oauth-protected-resource', '/mcp/x', '/.well-known/openid-configuration/mcp'])
      expect(await api.call('GET', path), path).toMatchObject({ status: 404, json: { code: 'not_found' } })
    const raw = new URLSearchParams({ grant_type: 'client_credentials' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await api.call('POST', '/oauth/token/', { raw, headers })).json.error).toBe('invalid_client')
  })
})

describe('what the server offers', () => {
  test('discovery names versions, capabilities and how to sign in @mcp-10', async () => {
    const { json } = await mcp(api, 'server/discover', {}, { token: own.apiKey })
    expect(json.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [modern],
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/oauth-client-credentials': {} } },
      instructions: expect.stringContaining('get_payment_context'),
      ttlMs: expect.any(Number),
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bursar', title: 'Bursar' } },
    })
  })

  test('tools/list returns thirteen tools in a fixed order, each with schemas and correct hints @mcp-11', async () => {
    const { json } = await mcp(api, 'tools/list', {}, { token: own.apiKey })
    const again = await mcp(
      api,
      'tools/list',
      {},
      { token: await accessToken(api, own, { resource, scope: 'payment_context:read' }) },
    )
    expect(again.json.result.tools).toEqual(json.result.tools)
    expect(json.result).toMatchObject({ resultType: 'complete', cacheScope: 'public', ttlMs: expect.any(Number) })
    type Listed = {
      name: string
      inputSchema: {
        type: string
        required?: string[]
        additionalProperties: boolean
        properties: Record<string, object>
      }
      outputSchema: { type: string }
      annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint: boolean }
    }
    const tools = json.result.tools as Listed[]
    const names = tools.map(({ name }) => name)
    expect(names).toEqual([
      'get_payment_context',
      'list_payments',
      'get_payment',
      'get_budget_request',
      'pay_contact',
      'pay_address',
      'pay_email',
      'pay_phone',
      'pay_x402',
      'cancel_payment',
      'request_budget',
      'prepare_payout_run',
      'get_payout_run',
    ])
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
      expect([inputSchema.type, outputSchema.type, inputSchema.additionalProperties], name).toEqual([
        'object',
        'object',
        false,
      ])
      expect(annotations.idempotentHint, name).toBe(true)
      const reads = name.startsWith('get_') || name.startsWith('list_')
      const spends = !reads && name !== 'request_budget' && name !== 'prepare_payout_run'
      expect([annotations.readOnlyHint, annotations.destructiveHint === true], name).toEqual([reads, spends])
      if (name.startsWith('pay_')) {
        // The seller's challenge has the amount of a purchase.
        const amount = name === 'pay_x402' ? 'max_amount' : 'amount'
        const required = name === 'pay_x402' ? ['resource', 'payment_required'] : [amount]
        expect(inputSchema.required, name).toEqual(expect.arrayContaining([...required, 'idempotency_key']))
        expect(inputSchema.properties[amount], name).toMatchObject({ type: 'string', description: expect.any(String) })
      }
    }
    expect(JSON.stringify(json)).not.toContain('x-mcp-header')
  })

  test('the 2025-11-25 protocol works without a session @mcp-12', async () => {
    const hello = await legacyCall(api, own.apiKey, 'initialize', {
      protocolVersion: legacy,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    expect([hello.status, hello.headers.get('mcp-session-id')]).toEqual([200, null])
    expect(hello.json.result).toMatchObject({ protocolVersion: legacy, serverInfo: { name: 'bursar' } })
    expect(hello.headers.get('x-accel-buffering')).toBe('no')
    const listed = await legacyCall(api, own.apiKey, 'tools/list')
    expect(listed.json.result.tools).toHaveLength(13)
    expect(listed.json.result.ttlMs, 'nothing of the newer protocol').toBeUndefined()
    const called = await legacyCall(api, own.apiKey, 'tools/call', { name: 'get_payment_context', arguments: {} })
    expect(called.json.result.structuredContent.agent.id).toBe(own.agent)
  })
})
