import { Hono } from 'hono'
import { Preferences } from '#schemas/preferences.ts'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { readPreferences, writePreferences } from '../services/preferences.ts'

/** /api/preferences */
export const preferences = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(success(await readPreferences(c.var.deps, c.var.userId))))
  .put('/', validate('json', Preferences), async (c) => {
    await writePreferences(c.var.deps, c.var.userId, c.req.valid('json'))
    return c.json(success(null))
  })
