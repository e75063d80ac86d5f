import { Hono } from 'hono'
import { CreatePasscode, EditPasscode, Reason } from '#schemas/ops.ts'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { operator } from '../middleware/operator.ts'
import { requireJson } from '../middleware/requests.ts'
import { validate } from '../middleware/validate.ts'
import { createPasscode, limitPasscode, passcodeList, revokePasscode } from '../ops/passcodes.ts'
import { recentActs } from '../ops/record.ts'
import { readinessProblems } from '../readiness/readiness.ts'

const maxActs = 200

/** /ops/api: what operators see and do. Each change is recorded with its actor and reason. */
export const ops = new Hono<AppEnv>()
  .use('/api/*', operator(), requireJson)
  .get('/api/ready', async (c) => {
    const problems = await readinessProblems(c.var.deps)
    return c.json(success({ ready: problems.length === 0, problems }))
  })
  .get('/api/actions', async (c) => c.json(success(await recentActs(c.var.deps, maxActs))))
  .get('/api/passcodes', async (c) => c.json(success(await passcodeList(c.var.deps))))
  .post('/api/passcodes', validate('json', CreatePasscode), async (c) => {
    const { reason, ...input } = c.req.valid('json')
    return c.json(success(await createPasscode(c.var.deps, { actor: c.var.operator, reason }, input)), 201)
  })
  .patch('/api/passcodes/:passcodeId', validate('json', EditPasscode), async (c) => {
    const { reason, ...input } = c.req.valid('json')
    const act = { actor: c.var.operator, reason }
    return c.json(success(await limitPasscode(c.var.deps, act, c.req.param('passcodeId'), input)))
  })
  .post('/api/passcodes/:passcodeId/revoke', validate('json', Reason), async (c) => {
    const act = { actor: c.var.operator, reason: c.req.valid('json').reason }
    return c.json(success(await revokePasscode(c.var.deps, act, c.req.param('passcodeId'))))
  })
