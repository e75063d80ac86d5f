import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { importClient, runClient } from '../support/clients.ts'
import { addressFor } from '../support/stackClient.ts'
import { createAgent, url } from './gateway.ts'

const oauth = await importClient('oauth4webapi/build/index.js')
const own = await createAgent()

/** Allows HTTP, because the stack has no TLS. */
const local = () => ({ [oauth.allowInsecureRequests]: true })
const client = () => ({ client_id: own.clientId })

/** Discovers the authorization server from a resource's URL, as a client does. */
async function discovered(resource: string) {
  const resourceUrl = new URL(resource)
  const document = await oauth.processResourceDiscoveryResponse(
    resourceUrl,
    await oauth.resourceDiscoveryRequest(resourceUrl, local()),
  )
  const issuer = new URL(document.authorization_servers[0])
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...local() })
  return oauth.processDiscoveryResponse(issuer, found)
}

// biome-ignore lint/suspicious/noExplicitAny: see above
async function granted(server: any, authentication: any, parameters: Record<string, string> = {}) {
  const response = await oauth.clientCredentialsGrantRequest(server, client(), authentication, parameters, local())
  return oauth.processClientCredentialsResponse(server, client(), response)
}

test.each(['/v1', '/mcp'])(
  'oauth4webapi discovers the authorization server from %s alone and gets a token @oauth-20',
  async (path) => {
    const resource = `${url}${path}`
    const server = await discovered(resource)
    for (const authentication of [
      oauth.ClientSecretBasic(own.clientSecret),
      oauth.ClientSecretPost(own.clientSecret),
    ]) {
      const reply = await granted(server, authentication, { resource, scope: 'address_payments:write' })
      expect(reply).toMatchObject({ token_type: 'bearer', expires_in: 900 })
      expect(reply.scope).toBe('address_payments:write payment_context:read')
      expect(reply).not.toHaveProperty('refresh_token')
      const request = new Request(resource, { headers: { authorization: `Bearer ${reply.access_token}` } })
      const claims = await oauth.validateJwtAccessToken(server, request, resource, local())
      expect(claims).toMatchObject({ client_id: own.clientId, sub: own.id, iss: url })
      await expect(oauth.validateJwtAccessToken(server, request, `${url}/api`, local())).rejects.toThrow()
    }
  },
)

test('a token without the scope gets a challenge, and one with the scope from the challenge pays @oauth-21', async () => {
  const server = await discovered(`${url}/v1`)
  const authentication = oauth.ClientSecretBasic(own.clientSecret)
  const pay = (token: string) =>
    oauth.protectedResourceRequest(
      token,
      'POST',
      new URL(`${url}/v1/payments`),
      new Headers({ 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      JSON.stringify({ to: { type: 'address', address: addressFor('step-up') }, amount: '1' }),
      local(),
    )
  const little = await granted(server, authentication, { scope: 'payment_context:read' })
  const refused = await pay(little.access_token).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  expect(refused.status).toBe(403)
  const { parameters, scheme } = refused.cause[0]
  expect([scheme, parameters.error]).toEqual(['bearer', 'insufficient_scope'])
  const more = await granted(server, authentication, { scope: `${little.scope} ${parameters.scope}` })
  expect((await pay(more.access_token)).status).toBe(201)
})

test('a revoked token is inactive and refused, and a new token is issued afterwards @oauth-22', async () => {
  const server = await discovered(`${url}/v1`)
  const authentication = oauth.ClientSecretBasic(own.clientSecret)
  const { access_token: token } = await granted(server, authentication)
  const introspected = async () => {
    const response = await oauth.introspectionRequest(server, client(), authentication, token, local())
    return oauth.processIntrospectionResponse(server, client(), response)
  }
  const context = () =>
    oauth.protectedResourceRequest(token, 'GET', new URL(`${url}/v1/context`), undefined, undefined, local())

  expect(await introspected()).toMatchObject({ active: true, client_id: own.clientId, aud: `${url}/v1` })
  expect((await context()).status).toBe(200)
  const response = await oauth.revocationRequest(server, client(), authentication, token, local())
  await oauth.processRevocationResponse(response)
  expect(await introspected()).toEqual({ active: false })
  const refused = await context().catch((error: unknown) => error)
  expect([refused.status, refused.cause[0].parameters.error]).toEqual([401, 'invalid_token'])
  expect((await granted(server, authentication)).access_token).toEqual(expect.any(String))
})

test('oauth4webapi understands the errors for wrong secrets, scopes and resources @oauth-23', async () => {
  const server = await discovered(`${url}/v1`)
  const inHeader = await granted(server, oauth.ClientSecretBasic('bs_wrong')).catch((error: unknown) => error)
  expect(inHeader).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  expect([inHeader.status, inHeader.cause[0].scheme]).toEqual([401, 'basic'])
  const inBody = await granted(server, oauth.ClientSecretPost('bs_wrong')).catch((error: unknown) => error)
  expect(inBody).toBeInstanceOf(oauth.ResponseBodyError)
  expect([inBody.status, inBody.error]).toEqual([401, 'invalid_client'])
  const good = oauth.ClientSecretPost(own.clientSecret)
  for (const [parameters, error] of [
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ scope: 'sms_payments:write' }, 'invalid_scope'],
    [{ resource: 'https://elsewhere.example' }, 'invalid_target'],
  ] as const)
    expect(await granted(server, good, parameters).catch((refused: unknown) => refused)).toMatchObject({
      status: 400,
      error,
    })
})

test('openid-client discovers the server and gets a token @oauth-24', async () => {
  const openid = await importClient('openid-client/build/index.js')
  const config = await openid.discovery(new URL(url), own.clientId, own.clientSecret, undefined, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  })
  const reply = await openid.clientCredentialsGrant(config, { resource: `${url}/v1`, scope: 'email_payments:write' })
  expect(reply).toMatchObject({ token_type: 'bearer', expires_in: 900 })
  const context = await openid.fetchProtectedResource(config, reply.access_token, new URL(`${url}/v1/context`), 'GET')
  expect((await context.json()).agent.id).toBe(own.id)
  expect(await openid.tokenIntrospection(config, reply.access_token)).toMatchObject({ active: true })
  await openid.tokenRevocation(config, reply.access_token)
  expect(await openid.tokenIntrospection(config, reply.access_token)).toEqual({ active: false })
})

test('the authorization server metadata passes the MCP conformance suite @oauth-25', { tags: ['all'] }, async () => {
  const suite = await runClient('@modelcontextprotocol/conformance/dist/index.js', ['authorization', '--url', url])
  expect(suite.stdout + suite.stderr).toMatch(/authorization-server-metadata-endpoint: 2 passed, 0 failed/)
})
