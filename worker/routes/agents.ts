import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { ok } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { validate } from '../middleware/validate.ts'
import { CreateAgent } from '../schemas/policy.ts'
import { createAgent } from '../services/policies.ts'

/** /api/agents */
export const agents = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(ok(await c.env.TREASURY.getByName(c.var.userId).agents())))
  .post('/', validate('json', CreateAgent), async (c) => {
    const { name, memo, policyGroupId } = c.req.valid('json')
    return c.json(
      ok(
        await createAgent(c.var.deps, c.var.userId, {
          key: idempotencyKey(c),
          name,
          memo: memo || null,
          policyGroupId,
        }),
      ),
      201,
    )
  })
