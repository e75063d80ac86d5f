import { Hono } from 'hono'
import { CreateWebhook, DeliveriesQuery, EditWebhook } from '#schemas/webhook.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'

const pageSize = 25

/** /api/webhooks */
export const webhooks = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await c.var.treasury.webhooks().list())))
  .post('/', validate('json', CreateWebhook), async (c) =>
    c.json(success(unwrap(await c.var.treasury.webhooks().create(c.req.valid('json')))), 201),
  )
  .patch('/:webhookId', validate('json', EditWebhook), async (c) =>
    c.json(success(unwrap(await c.var.treasury.webhooks().edit(c.req.param('webhookId'), c.req.valid('json'))))),
  )
  .delete('/:webhookId', async (c) =>
    c.json(success(unwrap(await c.var.treasury.webhooks().delete(c.req.param('webhookId'))))),
  )
  .post('/:webhookId/rotate-secret', async (c) =>
    c.json(success(unwrap(await c.var.treasury.webhooks().rotateSecret(c.req.param('webhookId'))))),
  )
  .post('/:webhookId/test', async (c) =>
    c.json(success(unwrap(await c.var.treasury.webhooks().test(c.req.param('webhookId')))), 202),
  )
  .get('/:webhookId/deliveries', validate('query', DeliveriesQuery), async (c) => {
    const { id } = unwrap(await c.var.treasury.webhooks().get(c.req.param('webhookId')))
    const sender = c.env.WEBHOOK_SENDER.getByName(c.var.userId)
    const { deliveries, next } = await sender.deliveries(id, c.req.valid('query').cursor ?? null, pageSize)
    return c.json(success({ deliveries, next: next === null ? null : String(next) }))
  })
  .post('/:webhookId/deliveries/:deliveryId/replay', async (c) => {
    const { webhookId, deliveryId } = c.req.param()
    return c.json(success(unwrap(await c.var.treasury.webhooks().replay(webhookId, deliveryId))), 202)
  })
