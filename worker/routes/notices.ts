import { Hono } from 'hono'
import { ReadNotices } from '#schemas/notice.ts'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'

/** /api/notices: the notices behind the bell. GET does not mark them as read. */
export const notices = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(success(await c.env.TREASURY.getByName(c.var.userId).notices().list())))
  .get('/count', async (c) => c.json(success(await c.env.TREASURY.getByName(c.var.userId).notices().count())))
  .post('/read', validate('json', ReadNotices), async (c) =>
    c.json(success(await c.env.TREASURY.getByName(c.var.userId).notices().markRead(c.req.valid('json').upTo))),
  )
