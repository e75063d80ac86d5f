import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { payTools } from './payTools.ts'
import { readTools } from './readTools.ts'
import type { McpCall } from './tool.ts'

/** Tools in one order, always: clients cache the list. */
const tools = [...readTools, ...payTools]

const instructions =
  'Bursar pays in USDC on Base from a budget that its owner has set. Call get_payment_context first. Amounts are decimal ' +
  'strings of USDC, such as "12.5". Give every payment an idempotency_key of its own and repeat a call with the same one ' +
  'when its answer was lost. A refusal has a code, the rule that refused, max_allowed_now, and next: what to do about it.'

/** The list of tools and these words are the same for everyone, until the next deployment. */
const sameForAll = { ttlMs: 5 * 60_000, cacheScope: 'public' } as const // 5 minutes

/** Makes the server of one request. */
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
      cacheHints: { 'tools/list': sameForAll, 'server/discover': sameForAll },
    },
  )
  for (const { register } of tools) register(server, call)
  return server
}

/**
 * One request, without a session: 2026-07-28 and, for older clients, the handshake protocols from the same tools. What
 * is paid does not depend on the answer being read: the Treasury has decided and stored before the first byte.
 */
export function serveMcp(request: Request, call: McpCall, serverOf: ServerOf): Promise<Response> {
  const { agentId, scopes } = call.agent
  const resourceMetadataUrl = `${call.env.API_ORIGIN}/.well-known/oauth-protected-resource/mcp`
  const handler = createMcpHandler(() => serverOf(call), { keepAliveMs: 15_000 })
  return handler.fetch(request, { authInfo: { token: '', clientId: agentId, scopes, resourceMetadataUrl } })
}
