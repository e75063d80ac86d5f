import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'

/** /api/usage */
export const usage = new Hono<AppEnv>()
  .use(login())
  .get('/dashboard', async (c) => c.json(success(await c.env.TREASURY.getByName(c.var.userId).usage())))
