import { Hono } from 'hono'
import { NamedPushSubscription, SavePushSubscription } from '#schemas/push.ts'
import type { AppEnv } from '../appEnv.ts'
import { success } from '../envelope.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { pushKey, removePushSubscription, savePushSubscription, testPush } from '../services/push.ts'

/** /api/push: notifications in the user's browsers. */
export const push = new Hono<AppEnv>()
  .use(login())
  .get('/key', (c) => c.json(success(pushKey(c.var.deps))))
  .post('/subscriptions', validate('json', SavePushSubscription), async (c) => {
    const { deps, userId: id, loginSessionId: sessionId } = c.var
    await savePushSubscription(deps, { id, sessionId }, c.req.valid('json'))
    return c.json(success(null), 201)
  })
  .delete('/subscriptions', validate('json', NamedPushSubscription), async (c) => {
    await removePushSubscription(c.var.deps, c.var.userId, c.req.valid('json').endpoint)
    return c.json(success(null))
  })
  .post('/test', validate('json', NamedPushSubscription), async (c) =>
    c.json(success(await testPush(c.var.deps, c.var.userId, c.req.valid('json').endpoint))),
  )
