import { Hono } from 'hono'
import { CheckPayment } from '#schemas/payment.ts'
import { CreateAgent, Regenerate, UpdateAgent } from '#schemas/policy.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { createAgent, deleteAgent, regenerateApiKey, regenerateSecret } from '../services/policies.ts'
import { setPaused } from './setPaused.ts'

/** /api/agents */
export const agents = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await c.var.treasury.policies().agents())))
  .post('/', ownerPassword(), validate('json', CreateAgent), async (c) => {
    const { name, memo, policyGroupId } = c.req.valid('json')
    const { passwordChecked } = c.var
    const input = { key: idempotencyKey(c), name, memo: memo || null, policyGroupId, passwordChecked }
    return c.json(success(await createAgent(c.var, input)), 201)
  })
  .put('/:agentId', validate('json', UpdateAgent), async (c) => {
    const { name, memo } = c.req.valid('json')
    return c.json(
      success(unwrap(await c.var.treasury.policies().editAgent(c.req.param('agentId'), { name, memo: memo || null }))),
    )
  })
  .delete('/:agentId', async (c) => c.json(success(await deleteAgent(c.var, c.req.param('agentId')))))
  .post('/:agentId/regenerate-api-key', ownerPassword(), validate('json', Regenerate), async (c) => {
    const { revokeNow = false } = c.req.valid('json')
    const { passwordChecked } = c.var
    const agentId = c.req.param('agentId')
    return c.json(success(await regenerateApiKey(c.var, agentId, { revokeNow, passwordChecked })))
  })
  .post('/:agentId/regenerate-credentials', ownerPassword(), validate('json', Regenerate), async (c) => {
    const { revokeNow = false } = c.req.valid('json')
    const { passwordChecked } = c.var
    const agentId = c.req.param('agentId')
    return c.json(success(await regenerateSecret(c.var, agentId, { revokeNow, passwordChecked })))
  })
  .post('/:agentId/pause', async (c) => setPaused(c, { kind: 'agent', id: c.req.param('agentId') }, true))
  .post('/:agentId/resume', ownerPassword(), async (c) =>
    setPaused(c, { kind: 'agent', id: c.req.param('agentId') }, false),
  )
  .get('/:agentId/refusals', async (c) =>
    c.json(success(unwrap(await c.var.treasury.policies().refusals(c.req.param('agentId'))))),
  )
  .post('/:agentId/check', validate('json', CheckPayment), async (c) => {
    const { to, amount } = c.req.valid('json')
    const input = { agentId: c.req.param('agentId'), to: to, amount }
    return c.json(success(unwrap(await c.var.treasury.checkPayment({ type: 'user' }, input))))
  })
