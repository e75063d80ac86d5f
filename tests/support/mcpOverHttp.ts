/** Calls MCP tools over HTTP and returns replies in the form of REST, for tests that mix the two. */
import type { Answer } from '../../local/client.ts'
import { type ErrorCode, statusOf } from '../../worker/errors.ts'
import { messageIn, modern, modernRequest } from './mcpEnvelope.ts'
import { patient } from './patience.ts'

export const protocols = [modern, '2025-11-25'] as const
export type Protocol = (typeof protocols)[number]

type Content = { id?: string; code?: ErrorCode; replayed?: boolean }
type Reply = {
  result?: { structuredContent: Content; isError?: boolean }
  error?: { message: string; data?: { code?: string } }
}

/** Returns 201 with the tool's output, or its refusal with the status of /v1. Throws if the reply is missing or not a message. */
export async function callTool<T>(
  url: string,
  protocol: Protocol,
  options: { token: string; name: string; args: Record<string, unknown> },
): Promise<Answer<T>> {
  const { token, name, args } = options
  const params = { name, arguments: args }
  const { headers, body: request } =
    protocol === modern
      ? modernRequest('tools/call', params)
      : {
          headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': protocol },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(patient(30_000)),
    body: JSON.stringify(request),
  })
  const { result, error } = messageIn<Reply>(await response.text())
  if (!result) return { status: response.status, headers: response.headers, body: { code: error?.data?.code } as T }
  const { isError, structuredContent: body } = result
  const status = isError ? (statusOf[body.code!] ?? 400) : 201
  return { status, headers: new Headers(body.replayed ? { 'idempotent-replayed': 'true' } : {}), body: body as T }
}
