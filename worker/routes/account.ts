import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'
import { unwrap } from '../result.ts'

/** /api/account: settings of the whole account. */
export const account = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(success(await c.env.TREASURY.getByName(c.var.userId).policies().account())))
  .post('/pause', async (c) =>
    c.json(success(unwrap(await c.env.TREASURY.getByName(c.var.userId).policies().pause({ kind: 'account' }, true)))),
  )
  .post('/resume', async (c) =>
    c.json(success(unwrap(await c.env.TREASURY.getByName(c.var.userId).policies().pause({ kind: 'account' }, false)))),
  )
