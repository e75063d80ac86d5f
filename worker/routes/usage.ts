import { Hono } from 'hono'
import { SpendingQuery } from '#schemas/usage.ts'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { unwrap } from '../result.ts'

/** /api/usage */
export const usage = new Hono<AppEnv>()
  .use(login())
  .get('/dashboard', async (c) => c.json(success(await c.env.TREASURY.getByName(c.var.userId).reports().usage())))
  .get('/spending', validate('query', SpendingQuery), async (c) => {
    const { wallet, ...query } = c.req.valid('query')
    const treasury = c.env.TREASURY.getByName(c.var.userId)
    return c.json(success(unwrap(await treasury.reports().spending({ ...query, walletId: wallet }))))
  })
