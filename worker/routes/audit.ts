import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { AppError } from '../errors.ts'
import { login } from '../middleware/auth.ts'

/** /api/audit: verifies the user's audit log from end to end. Local stacks only, because it reads the whole log. */
export const audit = new Hono<AppEnv>().use(login()).get('/', async (c) => {
  if (c.env.ENVIRONMENT !== 'local') throw new AppError('not_found', 'Not found.')
  return c.json(success(await c.env.TREASURY.getByName(c.var.userId).reports().auditCheck()))
})
