import { Hono } from 'hono'
import { CreateWebhook, DeliveriesQuery, EditWebhook, RotateSecret } from '#schemas/webhook.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'

const pageSize = 25

/** /api/webhooks */
export const webhooks = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await c.var.treasury.webhooks().list())))
  .post('/', ownerPassword(), validate('json', CreateWebhook), async (c) => {
    const { url, events } = c.req.valid('json')
    const created = c.var.treasury.webhooks().create({ url, events, passwordChecked: c.var.passwordChecked })
    return c.json(success(unwrap(await created)), 201)
  })
  .patch('/:webhookId', ownerPassword(), validate('json', EditWebhook), async (c) => {
    const { password: _, ...edit } = c.req.valid('json')
    const { treasury, passwordChecked } = c.var
    const edited = treasury.webhooks().edit(c.req.param('webhookId'), { ...edit, passwordChecked })
    return c.json(success(unwrap(await edited)))
  })
  .delete('/:webhookId', async (c) =>
    c.json(success(unwrap(await c.var.treasury.webhooks().delete(c.req.param('webhookId'))))),
  )
  .post('/:webhookId/rotate-secret', ownerPassword(), validate('json', RotateSecret), async (c) => {
    const { treasury, passwordChecked } = c.var
    return c.json(success(unwrap(await treasury.webhooks().rotateSecret(c.req.param('webhookId'), passwordChecked))))
  })
  .post('/:webhookId/test', async (c) =>
    c.json(success(unwrap(await c.var.treasury.webhooks().test(c.req.param('webhookId')))), 202),
  )
  .get('/:webhookId/deliveries', validate('query', DeliveriesQuery), async (c) => {
    const { id } = unwrap(await c.var.treasury.webhooks().get(c.req.param('webhookId')))
    const sender = c.env.WEBHOOK_SENDER.getByName(c.var.accountId)
    const { deliveries, next } = await sender.deliveries(id, c.req.valid('query').cursor ?? null, pageSize)
    return c.json(success({ deliveries, next: next === null ? null : String(next) }))
  })
  .post('/:webhookId/deliveries/:deliveryId/replay', async (c) => {
    const { webhookId, deliveryId } = c.req.param()
    return c.json(success(unwrap(await c.var.treasury.webhooks().replay(webhookId, deliveryId))), 202)
  })
