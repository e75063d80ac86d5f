import { Hono } from 'hono'
import { AllowConnection, EnterDeviceCode } from '#schemas/connection.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { allowRequest, denyRequest, showRequest } from '../services/connections.ts'
import { enterDeviceCode } from '../services/devices.ts'

/** /api/connections: apps that act as agents. All of these require a login session. */
export const connections = new Hono<AppEnv>()
  .get('/', login('treasury'), async (c) => c.json(success(await c.var.treasury.connections().list())))
  .delete('/:connectionId', login('treasury'), async (c) =>
    c.json(success(unwrap(await c.var.treasury.connections().revoke(c.req.param('connectionId'))))),
  )
  .post('/device', login('d1', 'own'), validate('json', EnterDeviceCode), async (c) =>
    c.json(success(await enterDeviceCode(c.var, c.req.valid('json').userCode))),
  )
  .get('/requests/:requestId', login('own'), async (c) =>
    c.json(success(await showRequest(c.var, c.req.param('requestId')))),
  )
  .post('/requests/:requestId/allow', login('own'), ownerPassword(), validate('json', AllowConnection), async (c) =>
    c.json(success(await allowRequest(c.var, c.req.param('requestId'), c.req.valid('json'), c.var.passwordChecked))),
  )
  .post('/requests/:requestId/deny', login('own'), async (c) =>
    c.json(success(await denyRequest(c.var, c.req.param('requestId')))),
  )
