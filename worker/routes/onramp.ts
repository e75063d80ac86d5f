import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { ok } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { CreateOnrampSession } from '../schemas/onramp.ts'
import { createOnrampSession } from '../services/onramp.ts'

/** /api/onramp */
export const onramp = new Hono<AppEnv>()
  .use(login())
  .post('/session', validate('json', CreateOnrampSession), async (c) => {
    const clientIp = c.req.header('cf-connecting-ip') ?? null
    return c.json(ok(await createOnrampSession(c.var.deps, c.var.userId, c.req.valid('json'), clientIp)), 201)
  })
