/** Unmodified MCP clients that are given the URL only, as assistants are: a person consents in a browser. */
import { randomUUID } from 'node:crypto'
import { serve } from '../../local/standIns/server.ts'
import { importClient } from './clients.ts'

const packages = {
  /** @modelcontextprotocol/client 2 */
  client: { index: '@modelcontextprotocol/client/dist/index.mjs', http: '@modelcontextprotocol/client/dist/index.mjs' },
  /** @modelcontextprotocol/sdk 1, which older assistants use */
  sdk: {
    index: '@modelcontextprotocol/sdk/dist/esm/client/index.js',
    http: '@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js',
  },
}

/** The browser need not ask for an icon, at a time when the program may have gone. */
const page = '<title>Scout</title><link rel="icon" href="data:,"><p>You can close this page.</p>'

/** The program's own web server, on any free port of 127.0.0.1, to which the browser returns. */
export async function startListener() {
  let arrived: (params: URLSearchParams) => void = () => undefined
  const server = await serve((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1')
    if (pathname === '/callback') arrived(searchParams)
  })
  return {
    url: `${server.url}/callback`,
    next: () =>
      new Promise<URLSearchParams>((resolve) => {
        arrived = resolve
      }),
    stop: server.stop,
  }
}

/** What tests do with any client that was given the URL. */
export type ConnectingClient = Pick<
  Awaited<ReturnType<typeof connectingClient>>,
  'begin' | 'finish' | 'pay' | 'tokens' | 'clientId' | 'close'
>

/** Needs installClients(). `name` is what the client calls itself. */
export async function connectingClient(url: string, name: string, kind: keyof typeof packages = 'client') {
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    importClient(packages[kind].index),
    importClient(packages[kind].http),
  ])
  const listener = await startListener()
  // biome-ignore-start lint/suspicious/noExplicitAny: untyped packages, see importClient
  const kept: { information?: any; tokens?: any; verifier?: string; discovery?: any } = {}
  let sentTo: URL | undefined
  const authProvider = {
    redirectUrl: listener.url,
    clientMetadata: {
      client_name: name,
      redirect_uris: [listener.url],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => randomUUID(),
    clientInformation: () => kept.information,
    saveClientInformation(information: any) {
      kept.information = information
    },
    tokens: () => kept.tokens,
    saveTokens(tokens: any) {
      kept.tokens = tokens
    },
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier!,
    saveDiscoveryState(discovery: any) {
      kept.discovery = discovery
    },
    discoveryState: () => kept.discovery,
    invalidateCredentials(scope: string) {
      if (scope !== 'client') delete kept.tokens
    },
    redirectToAuthorization(to: URL) {
      sentTo = to
    },
  }
  const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider })
  let client: any
  let returned: Promise<URLSearchParams> | undefined
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
  let transport = open()
  return {
    /** Calls the server, which refuses. Returns the address to open in a browser. */
    async begin(): Promise<string> {
      sentTo = undefined
      returned = listener.next()
      transport = open()
      client = new Client({ name, version: '1.0.0' })
      const refusal = await client.connect(transport).catch((error: unknown) => error)
      if (!sentTo) throw new Error('the client did not ask for a browser', { cause: refusal })
      return String(sentTo)
    },
    /** The parameters with which the browser came back. */
    returned: () => returned!,
    /** Exchanges the code that the browser brought, and connects. */
    async finish(): Promise<void> {
      const params = await returned!
      await (kind === 'client' ? transport.finishAuth(params) : transport.finishAuth(params.get('code')))
      client = new Client({ name, version: '1.0.0' })
      await client.connect(open())
    },
    call: (tool: string, args: object = {}) => client.callTool({ name: tool, arguments: args }),
    /** Pays an address. Returns the result's structured content. */
    async pay(address: string, amount: string) {
      const args = { address, amount, idempotency_key: randomUUID() }
      const { structuredContent } = await client.callTool({ name: 'pay_address', arguments: args })
      return structuredContent
    },
    tokens: () => kept.tokens as { access_token: string; refresh_token: string },
    clientId: () => kept.information.client_id as string,
    async close(): Promise<void> {
      await client?.close()
      await listener.stop()
    },
  }
}
