import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { allScopes } from '../domain/scopes.ts'
import { publicKeys } from '../identity/tokens.ts'

const publicDocument = createMiddleware<AppEnv>(async (c, next) => {
  c.header('cache-control', 'public, max-age=300') // 5 minutes
  c.header('cross-origin-resource-policy', 'cross-origin')
  await next()
})

/** RFC 9728: which authorization server gives tokens for a resource of ours. */
const protectedResource = (origin: string, resource: '/v1') => ({
  resource: `${origin}${resource}`,
  authorization_servers: [origin],
  bearer_methods_supported: ['header'],
  scopes_supported: ['payment_context:read'],
  resource_name: 'Bursar',
})

/** /.well-known: public documents, readable from any origin. */
export const wellKnown = new Hono<AppEnv>()
  .use(cors({ origin: '*', allowMethods: ['GET'] }))
  .use(publicDocument)
  .get('/jwks.json', async (c) => c.json(await publicKeys(c.env)))
  .get('/oauth-protected-resource', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/v1')))
  .get('/oauth-protected-resource/v1', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/v1')))
  // RFC 8414. No authorization endpoint: agents have client credentials, and RFC 8414 section 2 lets it be left out.
  .get('/oauth-authorization-server', (c) =>
    c.json({
      issuer: c.env.API_ORIGIN,
      token_endpoint: `${c.env.API_ORIGIN}/oauth/token`,
      jwks_uri: `${c.env.API_ORIGIN}/.well-known/jwks.json`,
      response_types_supported: [],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      scopes_supported: allScopes,
    }),
  )
