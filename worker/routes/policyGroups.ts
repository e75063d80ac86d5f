import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { ok, unwrap } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { validate } from '../middleware/validate.ts'
import { CreatePolicyGroup } from '../schemas/policy.ts'
import { whitelistOf } from '../services/policies.ts'

/** /api/policy-groups */
export const policyGroups = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) =>
    c.json(ok((await c.env.TREASURY.getByName(c.var.userId).groups()).map((entry) => entry.policyGroup))),
  )
  .get('/with-agents', async (c) => c.json(ok(await c.env.TREASURY.getByName(c.var.userId).groups())))
  .post('/', validate('json', CreatePolicyGroup), async (c) => {
    const { name, spendLimit, scopes, walletId, whitelistedContactIds } = c.req.valid('json')
    const contacts = await whitelistOf(c.var.deps, c.var.userId, whitelistedContactIds ?? [])
    const group = await c.env.TREASURY.getByName(c.var.userId).createGroup({
      key: idempotencyKey(c),
      name,
      spendLimit: spendLimit ?? null,
      scopes,
      walletId,
      contacts,
    })
    return c.json(ok(unwrap(group)), 201)
  })
