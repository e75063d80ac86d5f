/** Calls MCP tools over HTTP and returns replies in the form of REST, for tests that mix the two. */
import type { Answer } from '../../local/client.ts'
import { type ErrorCode, statusOf } from '../../worker/errors.ts'
import { patient } from './patience.ts'

export const protocols = ['2026-07-28', '2025-11-25'] as const
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
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocol,
      ...(protocol === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
    signal: AbortSignal.timeout(patient(30_000)),
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, ...(protocol === '2026-07-28' && { _meta: envelope }) },
    }),
  })
  const { result, error } = messageIn(await response.text())
  if (!result) return { status: response.status, headers: response.headers, body: { code: error?.data?.code } as T }
  const { isError, structuredContent: body } = result
  const status = isError ? (statusOf[body.code!] ?? 400) : 201
  return { status, headers: new Headers(body.replayed ? { 'idempotent-replayed': 'true' } : {}), body: body as T }
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The one message of a reply: JSON, or the last event of a stream. */
function messageIn(text: string): Reply {
  const event = text.split('\n').findLast((line) => line.startsWith('data: '))
  return JSON.parse(event?.slice('data: '.length) ?? text) as Reply
}
