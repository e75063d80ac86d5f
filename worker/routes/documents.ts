import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { openApi } from '../openapi/document.ts'
import { docsPage } from '../pages/docs.ts'
import { authorizationServer, jsonWebKeySet, protectedResource } from '../services/oauth.ts'

const cached = { 'cache-control': 'public, max-age=300' } // 5 minutes

/** /openapi.json and /docs: public and the same for all callers. */
export const docs = new Hono<AppEnv>()
  .get('/openapi.json', cors({ origin: '*', allowMethods: ['GET'] }), (c) =>
    c.json(openApi(c.env.API_ORIGIN), 200, { ...cached, 'cross-origin-resource-policy': 'cross-origin' }),
  )
  .get('/docs', docsPage)

const publicDocument = createMiddleware<AppEnv>(async (c, next) => {
  c.header('cache-control', 'public, max-age=300') // 5 minutes
  c.header('cross-origin-resource-policy', 'cross-origin')
  await next()
})

/** /.well-known: public documents, readable from any origin. */
export const wellKnown = new Hono<AppEnv>()
  .use(cors({ origin: '*', allowMethods: ['GET'] }))
  .use(publicDocument)
  .get('/jwks.json', async (c) => c.json(await jsonWebKeySet(c.var.deps)))
  .get('/oauth-protected-resource', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/v1')))
  .get('/oauth-protected-resource/v1', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/v1')))
  .get('/oauth-protected-resource/mcp', (c) => c.json(protectedResource(c.env.API_ORIGIN, '/mcp')))
  // W3C "Relying Party Passkey Endpoints": password managers can say what deleting a passkey destroys.
  .get('/passkey-endpoints', (c) =>
    c.json(c.env.PASSKEY_DOMAIN ? { prfUsageDetails: `${c.env.APP_ORIGIN}/claim` } : {}),
  )
  .get('/oauth-authorization-server', (c) => c.json(authorizationServer(c.env.API_ORIGIN)))
