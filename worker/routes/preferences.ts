import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { readPreferences, writePreferences } from '../db/preferences.ts'
import { ok } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { Preferences } from '../schemas/preferences.ts'

/** /api/preferences */
export const preferences = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(ok(await readPreferences(c.env.DB, c.var.userId))))
  .put('/', validate('json', Preferences), async (c) => {
    await writePreferences(c.env.DB, c.var.userId, c.req.valid('json'), c.var.deps.now())
    return c.json(ok(null))
  })
