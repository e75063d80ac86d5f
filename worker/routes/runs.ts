import { Hono } from 'hono'
import { ApproveRun, CreateRun, DenyRun, RepeatRun, RunRowsQuery, RunsQuery } from '#schemas/runs.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { decider } from '../services/approvals.ts'
import { createRun, exportRun } from '../services/runs.ts'

/** /api/runs. All of these require a login session: no credential of an agent prepares or decides here. */
export const runs = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', validate('query', RunsQuery), async (c) => {
    const { status, cursor } = c.req.valid('query')
    return c.json(success(await c.var.treasury.runs().list({ status, after: cursor ?? null })))
  })
  .post('/', validate('json', CreateRun), async (c) =>
    c.json(success(await createRun(c.var, c.req.valid('json'), idempotencyKey(c))), 201),
  )
  .get('/:runId', async (c) => c.json(success(unwrap(await c.var.treasury.runs().get(c.req.param('runId'))))))
  .get('/:runId/rows', validate('query', RunRowsQuery), async (c) =>
    c.json(success(unwrap(await c.var.treasury.runs().rows(c.req.param('runId'), c.req.valid('query'))))),
  )
  .get('/:runId/export', async (c) => exportRun(c.var, c.req.param('runId')))
  .post('/:runId/submit', async (c) =>
    c.json(success(unwrap(await c.var.treasury.runs().submit(c.req.param('runId'), await decider(c.var))))),
  )
  .post('/:runId/approve', ownerPassword(), validate('json', ApproveRun), async (c) => {
    const { hash } = c.req.valid('json')
    const input = { hash, by: await decider(c.var), passwordChecked: c.var.passwordChecked }
    return c.json(success(unwrap(await c.var.treasury.runs().approve(c.req.param('runId'), input))))
  })
  .post('/:runId/deny', validate('json', DenyRun), async (c) => {
    const { hash, reason = null } = c.req.valid('json')
    const input = { hash, by: await decider(c.var), reason }
    return c.json(success(unwrap(await c.var.treasury.runs().deny(c.req.param('runId'), input))))
  })
  .post('/:runId/stop', async (c) => c.json(success(unwrap(await c.var.treasury.runs().stop(c.req.param('runId'))))))
  .post('/:runId/repeat', validate('json', RepeatRun), async (c) =>
    c.json(success(unwrap(await c.var.treasury.runs().repeat(c.req.param('runId'), c.req.valid('json').repeat)))),
  )
