/**
 * A program of ../shared.ts that was given a copy of another one's tokens and keeps it in memory. Makes one call for each line
 * that it reads, and replies with a line of JSON: `{"ok":true}`, or `{"error":"…"}`.
 */
import { createInterface } from 'node:readline'
import type { JWK } from 'jose'
import { importClient } from '../../support/clients.ts'
import { asForm, assertionOf } from './signedApp.ts'

type Tokens = { access_token: string; refresh_token: string }
export type Copy = {
  kind: 'client' | 'sdk' | 'openid-client' | 'reported'
  url: string
  clientId: string
  tokens: Tokens
  /** Of the app with keys. */
  privateKey?: JWK
}

const copy = JSON.parse(process.argv[2]!) as Copy
const call = await callOf(copy)
for await (const _ of createInterface({ input: process.stdin })) {
  const reply = await call().then(
    () => ({ ok: true }),
    (error: unknown) => ({ error: String(error) }),
  )
  console.log(JSON.stringify(reply))
}

function callOf(given: Copy): Promise<() => Promise<void>> | (() => Promise<void>) {
  switch (given.kind) {
    case 'client':
    case 'sdk':
      return byMcpSdk(given)
    case 'openid-client':
      return byOpenidClient(given)
    case 'reported':
      return byReports(given)
  }
}

async function byMcpSdk({ kind, url, clientId, tokens: given }: Copy) {
  const path = '@modelcontextprotocol/sdk/dist/esm/client'
  const isNew = kind === 'client'
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    importClient(isNew ? '@modelcontextprotocol/client/dist/index.mjs' : `${path}/index.js`),
    importClient(isNew ? '@modelcontextprotocol/client/dist/index.mjs' : `${path}/streamableHttp.js`),
  ])
  let tokens: Tokens | undefined = given
  let discovery: unknown
  const authProvider = {
    redirectUrl: 'http://127.0.0.1:9/callback',
    clientMetadata: { client_name: 'Scout', redirect_uris: ['http://127.0.0.1:9/callback'] },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => tokens,
    saveTokens(saved: Tokens) {
      tokens = saved
    },
    saveCodeVerifier() {},
    codeVerifier: () => '',
    saveDiscoveryState(state: unknown) {
      discovery = state
    },
    discoveryState: () => discovery,
    invalidateCredentials(scope: string) {
      if (scope !== 'client') tokens = undefined
    },
    redirectToAuthorization() {
      throw new Error('asks the person again')
    },
  }
  const client = new Client({ name: 'Scout', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider }))
  return async () => {
    const { isError, content } = await client.callTool({ name: 'get_payment_context', arguments: {} })
    if (isError) throw new Error(JSON.stringify(content))
  }
}

async function byOpenidClient({ url, clientId, tokens: given }: Copy) {
  const openid = await importClient('openid-client/build/index.js')
  const config = await openid.discovery(new URL(url), clientId, undefined, openid.None(), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  })
  let { access_token, refresh_token } = given
  const get = async (): Promise<Response> =>
    openid.fetchProtectedResource(config, access_token, new URL(`${url}/v1/context`), 'GET')
  return async () => {
    try {
      await get()
    } catch {
      const renewed = await openid.refreshTokenGrant(config, refresh_token)
      access_token = renewed.access_token
      refresh_token = renewed.refresh_token ?? refresh_token
      await get()
    }
  }
}

/**
 * As the reports describe clients: authenticates with keys, names the server as a person typed it, with a slash at its end, wants
 * any kind of reply, runs in an extension, and sends null and JSON text as arguments.
 */
function byReports({ url, clientId, tokens: given, privateKey }: Copy) {
  let { access_token, refresh_token } = given
  const post = () =>
    fetch(`${url}/mcp/`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${access_token}`, accept: '*/*', 'content-type': 'application/json' },
        origin: 'chrome-extension://abcdefghijklmnop',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'list_payments', arguments: { limit: '5', cursor: '', reference: null } },
      }),
    })
  return async () => {
    let reply = await post()
    if (reply.status === 401) {
      const assertion = await assertionOf(url, clientId, privateKey!)
      const form = { grant_type: 'refresh_token', refresh_token, resource: `${url.toUpperCase()}/`, ...assertion }
      const renewed = await fetch(`${url}/oauth/token/`, asForm(form))
      const body = (await renewed.json()) as Partial<Tokens>
      if (!body.access_token) throw new Error(JSON.stringify(body))
      access_token = body.access_token
      refresh_token = body.refresh_token ?? refresh_token
      reply = await post()
    }
    const { result, ...failed } = (await reply.json()) as { result?: { isError?: boolean } }
    if (!result || result.isError) throw new Error(`${reply.status} ${JSON.stringify(result ?? failed)}`)
  }
}
