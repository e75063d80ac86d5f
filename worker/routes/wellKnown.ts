import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { allScopes } from '../domain/scopes.ts'
import { publicKeys } from '../identity/tokens.ts'
import type { resources } from '../services/oauth.ts'

const publicDocument = createMiddleware<AppEnv>(async (c, next) => {
  c.header('cache-control', 'public, max-age=300') // 5 minutes
  c.header('cross-origin-resource-policy', 'cross-origin')
  await next()
})

/** RFC 9728: which authorization server gives tokens for a resource of ours. The scope is what every agent has. */
const protectedResource = (origin: string, resource: (typeof resources)[number]) => ({
  resource: `${origin}${resource}`,
  authorization_servers: [origin],
  bearer_methods_supported: ['header'],
  scopes_supported: ['payment_context:read'],
  resource_name: 'Bursar',
  resource_documentation: `${origin}/docs`,
})

const clientAuthentication = ['client_secret_basic', 'client_secret_post']

/** RFC 8414. The authorization endpoint answers with an error (routes/oauth.ts); what it will want is stated already. */
const authorizationServer = (origin: string) => ({
  issuer: origin,
  token_endpoint: `${origin}/oauth/token`,
  token_endpoint_auth_methods_supported: clientAuthentication,
  authorization_endpoint: `${origin}/oauth/authorize`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: ['client_credentials'],
  scopes_supported: allScopes,
  jwks_uri: `${origin}/.well-known/jwks.json`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  revocation_endpoint_auth_methods_supported: clientAuthentication,
  introspection_endpoint: `${origin}/oauth/introspect`,
  introspection_endpoint_auth_methods_supported: clientAuthentication,
  service_documentation: `${origin}/docs`,
})

/** /.well-known: public documents, readable from any origin. */
export const wellKnown = new Hono<AppEnv>()
  .use(cors({ origin: '*', allowMethods: ['GET'] }))
  .use(publicDocument)
  .get('/jwks.json', async (c) => c.json(await publicKeys(c.env)))
  .get('/oauth-protected-resource', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/v1')))
  .get('/oauth-protected-resource/v1', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/v1')))
  .get('/oauth-protected-resource/mcp', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/mcp')))
  .get('/oauth-authorization-server', (c) => c.json(authorizationServer(c.env.API_ORIGIN)))
