import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { AppError, ok } from '../errors.ts'
import { login } from '../middleware/auth.ts'

/** /api/audit: the signed-in user's own audit log, walked from end to end. Local stacks only: it reads all of it. */
export const audit = new Hono<AppEnv>().use(login()).get('/', async (c) => {
  if (c.env.ENVIRONMENT !== 'local') throw new AppError('not_found', 'There is nothing at this address.')
  return c.json(ok(await c.env.TREASURY.getByName(c.var.userId).auditCheck()))
})
