import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { countContacts } from '../db/contacts.ts'
import { ok } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import type { Overview } from '../schemas/overview.ts'

/** /api/overview: what all widgets of the first screen show, in one answer. */
export const overview = new Hono<AppEnv>().use(login()).get('/', async (c) => {
  const [figures, contactCount] = await Promise.all([
    c.env.TREASURY.getByName(c.var.userId).overview(),
    countContacts(c.var.deps.db, c.var.userId),
  ])
  return c.json(ok({ ...figures, contactCount } satisfies Overview))
})
