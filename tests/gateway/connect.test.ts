/** Unmodified clients that are given nothing but the URL, and a person who consents by the API. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Connection } from '#schemas/connection.ts'
import { runAuthorizationSuite } from '../support/authorizationSuite.ts'
import { importClient } from '../support/clients.ts'
import { consentByApi } from '../support/consent.ts'
import { addressFor, type Sender } from '../support/stackClient.ts'
import { bursar, createAgent, url } from './gateway.ts'
import type { ToolAnswer } from './mcpClients.ts'

const redirectUri = 'http://127.0.0.1:47321/callback'
const { sender } = await createAgent()

const consent = (person: Sender, authorizationUrl: URL) => consentByApi(bursar, person, authorizationUrl)

const connections = async (): Promise<Connection[]> => bursar.api('/connections', { token: await sender.token() })
const revoke = async ({ id }: Connection) =>
  bursar.api(`/connections/${id}`, { method: 'DELETE', token: await sender.token() })
const agents = async () => (await bursar.api<unknown[]>('/agents', { token: await sender.token() })).length
const groups = async () => (await bursar.api<unknown[]>('/policy-groups', { token: await sender.token() })).length

/** What an app keeps of its authorization. */
function createProvider(name: string) {
  // biome-ignore lint/suspicious/noExplicitAny: untyped packages, see importClient
  const kept: Record<string, any> = {}
  return {
    kept,
    redirectUrl: redirectUri,
    clientMetadata: { client_name: name, redirect_uris: [redirectUri] },
    state: () => 'a-state',
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (to: URL) => {
      kept.authorizationUrl = to
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state: unknown) => {
      kept.discovery = state
    },
    discoveryState: () => kept.discovery,
    invalidateCredentials: (scope: string) => {
      if (scope === 'tokens' || scope === 'all') delete kept.tokens
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: see above
type Package = { Client: any; Transport: any }
const packages: Record<string, () => Promise<Package>> = {
  '@modelcontextprotocol/client': async () => {
    const { Client, StreamableHTTPClientTransport } = await importClient('@modelcontextprotocol/client/dist/index.mjs')
    return { Client, Transport: StreamableHTTPClientTransport }
  },
  '@modelcontextprotocol/sdk': async () => {
    const path = '@modelcontextprotocol/sdk/dist/esm/client'
    const { Client } = await importClient(`${path}/index.js`)
    return { Client, Transport: (await importClient(`${path}/streamableHttp.js`)).StreamableHTTPClientTransport }
  },
}

test.each(Object.keys(packages))(
  '%s connects by the URL, pays, is refused above its budget, asks above the line, and is revoked; again it gets the same agent @connect-21',
  async (name) => {
    const { Client, Transport } = await packages[name]!()
    const appName = `Unmodified ${name.split('/')[1]}`
    const provider = createProvider(appName)
    const open = async () => {
      const client = new Client({ name: 'app', version: '1.0.0' })
      const transport = new Transport(new URL(`${url}/mcp`), { authProvider: provider })
      return { client, transport }
    }
    async function connect() {
      const first = await open()
      await first.client.connect(first.transport).catch(() => null)
      const redirect = await consent(sender, provider.kept.authorizationUrl)
      expect(redirect.searchParams.get('state')).toBe('a-state')
      const answer = redirect.searchParams
      await first.transport.finishAuth(answer.get('code'), answer.get('iss'))
      const { client, transport } = await open()
      await client.connect(transport)
      return client as { callTool: (call: object) => Promise<ToolAnswer>; close: () => Promise<void> }
    }
    const client = await connect()
    const pay = (amount: string) => {
      const call = { address: addressFor(`${name} ${amount}`), amount, idempotency_key: randomUUID() }
      return client.callTool({ name: 'pay_address', arguments: call })
    }
    expect((await pay('1')).structuredContent).toMatchObject({ object: 'payment', amount: '1' })
    expect((await pay('6')).structuredContent).toMatchObject({ status: 'PENDING_APPROVAL' })
    const refused = await pay('21')
    expect([refused.isError, refused.structuredContent.code]).toEqual([true, 'budget_exceeded'])
    const [connection] = await connections()
    expect(connection).toMatchObject({ app: { name: appName, kind: 'registered' } })
    const before = [await agents(), await groups()]
    await revoke(connection!)
    const { refresh_token: refreshToken } = provider.kept.tokens
    delete provider.kept.authorizationUrl
    await expect(client.callTool({ name: 'get_payment_context', arguments: {} })).rejects.toThrow()
    expect(provider.kept.authorizationUrl, 'it asks the person again').toBeInstanceOf(URL)
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: provider.kept.client.client_id }
    expect((await bursar.call('/oauth/token', { form })).body).toMatchObject({ error: 'invalid_grant' })
    await client.close().catch(() => null)

    const again = await connect()
    const context = await again.callTool({ name: 'get_payment_context', arguments: {} })
    expect(context.structuredContent.agent.id).toBe(connection!.agent.id)
    expect([await agents(), await groups()], 'no other agent, no other budget').toEqual(before)
    await again.close()
    await revoke((await connections())[0]!)
  },
)

test('openid-client registers, checks state and issuer, renews its token, and gives the connection back @connect-22', async () => {
  const openid = await importClient('openid-client/build/index.js')
  const config = await openid.dynamicClientRegistration(
    new URL(url),
    { client_name: 'openid', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    openid.None(),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
  )
  const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()]
  const authorizationUrl = openid.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, state: expectedState, resource: `${url}/v1` },
    ...{ code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256' },
  })
  const redirect = await consent(sender, authorizationUrl)
  const checks = { pkceCodeVerifier, expectedState }
  const mixedUp = new URL(redirect)
  mixedUp.searchParams.set('iss', 'https://attacker.example')
  await expect(openid.authorizationCodeGrant(config, mixedUp, checks)).rejects.toMatchObject({
    code: 'OAUTH_INVALID_RESPONSE',
  })
  const tokens = await openid.authorizationCodeGrant(config, redirect, checks)
  const context = async (accessToken: string) => {
    const reply = await openid.fetchProtectedResource(config, accessToken, new URL(`${url}/v1/context`), 'GET')
    return reply.status
  }
  expect(await context(tokens.access_token)).toBe(200)
  const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token)
  expect(await context(renewed.access_token)).toBe(200)
  await openid.tokenRevocation(config, renewed.refresh_token)
  await expect(context(renewed.access_token)).rejects.toMatchObject({ status: 401 })
  await expect(openid.refreshTokenGrant(config, renewed.refresh_token)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})

test('the MCP conformance suite for authorization servers passes, with a person who consents @connect-23', {
  tags: ['all'],
}, async () => {
  const { code, output } = await runAuthorizationSuite(bursar, async (asked) =>
    fetch(await consent(sender, new URL(asked))),
  )
  expect(code, output).toBe(0)
  expect(output).toMatch(/authorization-server-metadata-endpoint: 2 passed, 0 failed/)
  expect(output).toMatch(/authorization-code-grant: 1 passed, 0 failed/)
})
