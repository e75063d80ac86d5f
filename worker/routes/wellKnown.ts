import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { authorizationServer, jsonWebKeySet, protectedResource } from '../services/oauthMetadata.ts'

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
  .get('/oauth-authorization-server', (c) => c.json(authorizationServer(c.env.API_ORIGIN)))
