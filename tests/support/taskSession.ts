/** The unmodified client of MCP's tasks extension, as an agent with an API key uses it. */
import { randomUUID } from 'node:crypto'
import { importClient } from './clients.ts'

const protocolVersion = '2026-07-28'

/** Connects a client and opens its task session. Needs installClients(). `heard`: its notifications, in order. */
export async function openTaskSession(url: string, apiKey: string) {
  const { Client, StreamableHTTPClientTransport } = await importClient('@modelcontextprotocol/client/dist/index.mjs')
  const tasks = await importClient('@modelcontextprotocol/ext-tasks/dist/client/index.js')
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const client = new Client(
    { name: 'agent', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { extensions } },
  )
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  const heard: { method: string }[] = []
  client.fallbackNotificationHandler = async (notification: { method: string }) => void heard.push(notification)
  const session = tasks.createTaskSessionFromClient(client, {
    endpointId: 'bursar',
    rawDispatch: (request: Parameters<typeof dispatch>[2]) => dispatch(url, apiKey, request),
    v2RequestFraming: { protocolVersion, clientInfo: { name: 'agent', version: '1.0.0' }, clientCapabilities: {} },
  })
  const close = async () => {
    await session.close()
    await client.close()
  }
  return { client, heard, session, close, resultOf: tasks.resultFromTaskOutcome }
}

/** Sends one raw message, for requests that the SDK's client does not send itself. */
async function dispatch(url: string, apiKey: string, request: { method: string; params: Record<string, unknown> }) {
  const { method, params } = request
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), ...request }),
  })
  const text = await response.text()
  const data = text.split('\n').findLast((line) => line.startsWith('data: '))
  const message = JSON.parse(data ? data.slice('data: '.length) : text)
  return message.error ? { kind: 'error', error: message.error } : { kind: 'result', result: message.result }
}
