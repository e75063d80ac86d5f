import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { ok, unwrap } from '../errors.ts'
import { login } from '../middleware/auth.ts'

/** /api/account: what holds for all agents of the account. */
export const account = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(ok(await c.env.TREASURY.getByName(c.var.userId).account())))
  .post('/pause', async (c) =>
    c.json(ok(unwrap(await c.env.TREASURY.getByName(c.var.userId).pause({ kind: 'account' }, true)))),
  )
  .post('/resume', async (c) =>
    c.json(ok(unwrap(await c.env.TREASURY.getByName(c.var.userId).pause({ kind: 'account' }, false)))),
  )
