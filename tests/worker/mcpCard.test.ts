/** The card that chats show, as /mcp offers it. tests/e2e/card.spec.ts shows it. */
import { expect, test } from 'vitest'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { legacyCall, mcp } from '../support/mcpMessages.ts'
import { fresh } from '../support/payer.ts'
import { env } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api, { limit: 20 })
const uri = 'ui://bursar/payment.html'
type Listed = { name: string; _meta?: { ui: object } }

test('the tools that pay, ask for budget or prepare a run name the card, and no tool decides @mcp-50', async () => {
  const { json } = await mcp(api, 'tools/list', {}, { token: own.apiKey })
  const tools = json.result.tools as Listed[]
  const shown = tools.filter(({ _meta }) => _meta).map(({ name, _meta }) => [name, _meta!.ui])
  expect(shown).toEqual(
    [
      ...['get_payment', 'get_budget_request', 'pay_contact', 'pay_address', 'pay_email', 'pay_phone', 'pay_x402'],
      ...['request_budget', 'prepare_payout_run', 'get_payout_run'],
    ].map((name) => [name, { resourceUri: uri }]),
  )
  for (const { name } of tools) expect(name).not.toMatch(/approve|deny|decide|submit|start|stop|grant/)
})

test('the card is one file of at most 12 kB without a network, in both protocols @mcp-51', async () => {
  const now = await mcp(api, 'resources/read', { uri }, { token: own.apiKey })
  const before = await legacyCall(api, own.apiKey, 'resources/read', { uri })
  expect(before.json.result.contents).toEqual(now.json.result.contents)
  expect(now.json.result).toMatchObject({ cacheScope: 'public', ttlMs: expect.any(Number) })
  const [card] = now.json.result.contents
  expect(now.json.result.contents).toHaveLength(1)
  expect(card).toMatchObject({
    uri,
    mimeType: 'text/html;profile=mcp-app',
    _meta: { ui: { csp: {}, prefersBorder: true } },
  })
  expect(new TextEncoder().encode(card.text).length).toBeLessThanOrEqual(12_000)
  expect(card.text).toContain(`const origin = '${new URL(env.APP_ORIGIN).origin}'`)
  expect(card.text.match(/https?:\/\/[^"' ]+/g)).toEqual([new URL(env.APP_ORIGIN).origin])
  expect(card.text).not.toMatch(
    /innerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|XMLHttpRequest|import\(|src=|href=/,
  )
})

test('the card is in no list, and there is no other resource @mcp-52', async () => {
  for (const list of [
    mcp(api, 'resources/list', {}, { token: own.apiKey }),
    legacyCall(api, own.apiKey, 'resources/list'),
  ])
    expect((await list).json.result.resources).toEqual([])
  for (const other of ['ui://bursar/other.html', 'ui://bursar/payment.html/..', 'file:///etc/passwd', 'not a uri']) {
    const { json } = await mcp(api, 'resources/read', { uri: other }, { token: own.apiKey })
    expect(json.error.code, other).toBe(-32602)
  }
  expect((await mcp(api, 'resources/read', { uri }, { token: 'bk_unknown' })).status).toBe(401)
})

test('clients that declare the extension get the same list and the same results as all others @mcp-53', async () => {
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions } }
  const both = (method: string, params: Record<string, unknown>) =>
    Promise.all(
      [{}, { meta }].map(async (over) => (await mcp(api, method, params, { token: own.apiKey, ...over })).json.result),
    )
  const [list, sameList] = await both('tools/list', {})
  expect(sameList).toEqual(list)
  const args = { address: fresh('card'), amount: '0.5', idempotency_key: 'card-1' }
  await mcp(api, 'tools/call', { name: 'pay_address', arguments: args }, { token: own.apiKey })
  const [paid, samePaid] = await both('tools/call', { name: 'pay_address', arguments: args })
  expect(Object.keys(samePaid)).toEqual(Object.keys(paid))
  expect(samePaid.structuredContent.id).toBe(paid.structuredContent.id)
})
