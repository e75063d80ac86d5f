import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'
import { getOverview } from '../services/overview.ts'

/** /api/overview */
export const overview = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(success(await getOverview(c.var.deps, c.var.userId))))
