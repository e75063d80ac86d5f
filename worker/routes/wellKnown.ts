import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from '../appEnv.ts'
import { publicKeys } from '../identity/tokens.ts'

/** /.well-known: public, readable from any origin, cached for 5 minutes. */
export const wellKnown = new Hono<AppEnv>()
  .use(cors({ origin: '*', allowMethods: ['GET'] }))
  .get('/jwks.json', async (c) =>
    c.json(await publicKeys(c.env), 200, {
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
    }),
  )
