import { Hono } from 'hono'
import { PaidToQuery, PeriodQuery } from '#schemas/answers.ts'
import { SpendingQuery } from '#schemas/usage.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { agentRequests, paidTo, refusals } from '../services/answers.ts'
import { getOverview } from '../services/overview.ts'

/** /api/usage */
export const usage = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/dashboard', async (c) => c.json(success(await c.var.treasury.reports().usage())))
  .get('/spending', validate('query', SpendingQuery), async (c) => {
    const { wallet, ...query } = c.req.valid('query')
    return c.json(success(unwrap(await c.var.treasury.reports().spending({ ...query, walletId: wallet }))))
  })
  .get('/recipients', validate('query', PaidToQuery), async (c) =>
    c.json(success(await paidTo(c.var, c.req.valid('query')))),
  )
  .get('/agents/:agentId', validate('query', PeriodQuery), async (c) =>
    c.json(success(await agentRequests(c.var, c.req.param('agentId'), c.req.valid('query')))),
  )
  .get('/refusals', validate('query', PeriodQuery), async (c) =>
    c.json(success(await refusals(c.var, c.req.valid('query')))),
  )

/** /api/overview */
export const overview = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await getOverview(c.var))))
  .get('/balance', async (c) => c.json(success(await c.var.treasury.reports().balance())))
