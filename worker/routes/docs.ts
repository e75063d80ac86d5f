import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from '../appEnv.ts'
import { openApi } from '../openapi/document.ts'
import { docsPage } from '../pages/docs.ts'

const cached = { 'cache-control': 'public, max-age=300' } // 5 minutes

/** /openapi.json and /docs: public and the same for all callers. */
export const docs = new Hono<AppEnv>()
  .get('/openapi.json', cors({ origin: '*', allowMethods: ['GET'] }), (c) =>
    c.json(openApi(c.env.API_ORIGIN), 200, { ...cached, 'cross-origin-resource-policy': 'cross-origin' }),
  )
  .get('/docs', docsPage)
