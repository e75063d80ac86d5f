/** Hand-written MCP messages, for requests that no client would send and for tests inside the Worker. */
import type { Api } from '../worker/apiClient.ts'
import { messageIn, modernRequest } from './mcpEnvelope.ts'

export const legacy = '2025-11-25'

type Over = {
  token?: string
  /** Undefined omits a header. */
  headers?: Record<string, string | undefined>
  meta?: Record<string, unknown>
  id?: number
}

/** Sends one request of the 2026-07-28 protocol, as its clients do. */
export async function mcp(api: Api, method: string, params: Record<string, unknown> = {}, over: Over = {}) {
  const request = modernRequest(method, params, over.meta, over.id)
  const headers = { ...request.headers, ...over.headers }
  return api.call('POST', '/mcp', {
    ...(over.token !== undefined && { token: over.token }),
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as typeof headers,
    body: request.body,
  })
}

/** Calls a tool. Returns its structured content, and whether it is a refusal. */
export async function callTool(api: Api, token: string, name: string, args: Record<string, unknown> = {}) {
  const answer = await mcp(api, 'tools/call', { name, arguments: args }, { token })
  const { result } = answer.json ?? {}
  return { ...answer, content: result?.structuredContent, refused: result?.isError === true, result }
}

/** Sends one request of the 2025-11-25 protocol without a session. Returns the last message of the stream. */
export async function legacyCall(api: Api, token: string, method: string, params: Record<string, unknown> = {}) {
  const answer = await api.call('POST', '/mcp', {
    token,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': legacy },
    body: { jsonrpc: '2.0', id: 1, method, params },
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
  return { ...answer, json: answer.json ?? messageIn<any>(answer.text) }
}
