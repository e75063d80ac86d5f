import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { Accepted } from './acceptHeader.ts'
import { serveCard } from './card/card.ts'
import { listenMethod, listenToTasks } from './listen.ts'
import { paymentTasks } from './paymentTasks.ts'
import { payTools } from './payTools.ts'
import { readTools } from './readTools.ts'
import { runTools } from './runTools.ts'
import { serveTasks } from './tasks.ts'
import type { McpCall } from './tool.ts'

export { listenMethod, listenToTasks }

/** In a fixed order, because clients cache the list. */
const tools = [...readTools, ...payTools, ...runTools]

const instructions =
  'Bursar pays in USDC on Base from a budget that the owner has set. Call get_payment_context first. Amounts are decimal ' +
  'strings of USDC, such as "12.5". Give every payment its own idempotency_key, and repeat a call with the same key if its ' +
  'response was lost. For many payments at once, prepare_payout_run creates a draft that a person decides about. A refusal ' +
  'has a code, the rule that refused, max_allowed_now, and next, which says what to do.'

/** The tool list, the instructions and the card are the same for all callers until the next deployment. */
const publicCache = { ttlMs: 5 * 60_000, cacheScope: 'public' } as const // 5 minutes

/** Creates the server for one request. */
export type ServerOf = (call: McpCall) => McpServer

export const bursarServer: ServerOf = (call) => {
  const server = new McpServer(
    { name: 'bursar', title: 'Bursar', version: '1.0.0', websiteUrl: call.env.API_ORIGIN },
    {
      instructions,
      capabilities: {
        tools: { listChanged: false },
        extensions: { 'io.modelcontextprotocol/oauth-client-credentials': {} },
      },
      cacheHints: { 'tools/list': publicCache, 'server/discover': publicCache, 'resources/read': publicCache },
    },
  )
  for (const { register } of tools) register(server, call)
  serveTasks(server, paymentTasks(call))
  serveCard(server, call.env.APP_ORIGIN)
  return server
}

/**
 * Serves one request without an MCP session: protocol 2026-07-28 and, for older clients, the handshake protocols. Payments
 * do not depend on the response being read: the Treasury has stored its decision before the first byte is sent.
 */
export function serveMcp(
  request: Request,
  call: McpCall,
  { serverOf, accepted }: { serverOf: ServerOf; accepted: Accepted },
): Promise<Response> {
  const { agentId, scopes } = call.agent
  const resourceMetadataUrl = `${call.env.API_ORIGIN}/.well-known/oauth-protected-resource/mcp`
  const responseMode = accepted === 'stream' ? 'sse' : 'auto'
  const handler = createMcpHandler(() => serverOf(call), { keepAliveMs: 15_000, responseMode })
  return handler.fetch(request, { authInfo: { token: '', clientId: agentId, scopes, resourceMetadataUrl } })
}
