import { Hono } from 'hono'
import { CreateOnrampSession } from '#schemas/onramp.ts'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { createOnrampSession } from '../services/onramp.ts'

/** /api/onramp */
export const onramp = new Hono<AppEnv>()
  .use(login())
  .post('/session', validate('json', CreateOnrampSession), async (c) => {
    const clientIp = c.req.header('cf-connecting-ip') ?? null
    return c.json(success(await createOnrampSession(c.var.deps, c.var.userId, c.req.valid('json'), clientIp)), 201)
  })
