import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { ok } from '../errors.ts'
import { login } from '../middleware/auth.ts'

/** /api/overview: the sums the first screen shares. */
export const overview = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(ok(await c.env.TREASURY.getByName(c.var.userId).overview())))
