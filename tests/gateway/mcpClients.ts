/** The official MCP clients, as agents use them. */
import { importClient } from '../support/clients.ts'
import { url } from './gateway.ts'

export type Credentials = { clientId: string; clientSecret: string; apiKey: string }
/** A tool's result. */
// biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
export type ToolAnswer = { content: { type: string; text: string }[]; structuredContent: any; isError?: boolean }
/** Every HTTP exchange of one client, in order: `POST /mcp 200`. */
type Exchanges = string[]
export type McpClient = {
  // biome-ignore lint/suspicious/noExplicitAny: untyped packages, see importClient
  client: any
  call: (name: string, args?: object) => Promise<ToolAnswer>
  exchanges: Exchanges
}

type Options = { auth: 'oauth' | 'key' }
type V2 = Options & { mode: '2026' | '2025' }

/** Connects @modelcontextprotocol/client 2. Mode 'auto' negotiates 2026-07-28; its default is the 2025 protocol. */
export async function connectV2(agent: Credentials, { mode, auth }: V2): Promise<McpClient> {
  const sdk = await importClient('@modelcontextprotocol/client/dist/index.mjs')
  const { clientId, clientSecret, apiKey } = agent
  const provider = () => new sdk.ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: url })
  const client = new sdk.Client(
    { name: 'agent', version: '1.0.0' },
    { ...(mode === '2026' && { versionNegotiation: { mode: 'auto' } }) },
  )
  return connect(client, sdk.StreamableHTTPClientTransport, auth === 'oauth' ? provider() : null, apiKey)
}

/** Connects @modelcontextprotocol/sdk 1, which older agents run. */
export async function connectV1(agent: Credentials, { auth }: Options): Promise<McpClient> {
  const [{ Client }, { StreamableHTTPClientTransport }, { ClientCredentialsProvider }] = await Promise.all(
    ['index', 'streamableHttp', 'auth-extensions'].map((file) =>
      importClient(`@modelcontextprotocol/sdk/dist/esm/client/${file}.js`),
    ),
  )
  const { clientId, clientSecret, apiKey } = agent
  const provider = () => new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: url })
  const client = new Client({ name: 'agent', version: '1.0.0' })
  return connect(client, StreamableHTTPClientTransport, auth === 'oauth' ? provider() : null, apiKey)
}

// biome-ignore lint/suspicious/noExplicitAny: see above
async function connect(client: any, Transport: any, authProvider: unknown, apiKey: string): Promise<McpClient> {
  const exchanges: Exchanges = []
  const recordingFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    exchanges.push(`${init?.method ?? 'GET'} ${pathname} ${response.status}`)
    return response
  }
  const authorized = authProvider
    ? { authProvider }
    : { requestInit: { headers: { authorization: `Bearer ${apiKey}` } } }
  await client.connect(new Transport(new URL(`${url}/mcp`), { ...authorized, fetch: recordingFetch }))
  return { client, exchanges, call: (name, args = {}) => client.callTool({ name, arguments: args }) }
}
