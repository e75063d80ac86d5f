import { Hono } from 'hono'
import { ApprovalsQuery, Approve, Deny, GrantsQuery, SetApprovalSettings } from '#schemas/approval.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { approve, deny, endGrant, listApprovals, setApprovalSettings } from '../services/approvals.ts'

/** All of these require a login session; an agent's credentials do not work here. Reading changes nothing. */

/** /api/approvals */
export const approvals = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', validate('query', ApprovalsQuery), async (c) =>
    c.json(success(await listApprovals(c.var, c.req.valid('query')))),
  )
  .get('/:approvalId', async (c) =>
    c.json(success(unwrap(await c.var.treasury.approvals().get(c.req.param('approvalId'))))),
  )
  .post('/:approvalId/approve', validate('json', Approve), async (c) =>
    c.json(success(await approve(c.var, c.req.param('approvalId'), c.req.valid('json')))),
  )
  .post('/:approvalId/deny', validate('json', Deny), async (c) =>
    c.json(success(await deny(c.var, c.req.param('approvalId'), c.req.valid('json')))),
  )

/** /api/grants */
export const grants = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', validate('query', GrantsQuery), async (c) => {
    const { status, agentId } = c.req.valid('query')
    return c.json(success(await c.var.treasury.approvals().grants({ status, agentId: agentId ?? null })))
  })
  .post('/:grantId/end', async (c) => c.json(success(await endGrant(c.var, c.req.param('grantId')))))

/** /api/approval-settings */
export const approvalSettings = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await c.var.treasury.approvals().settings())))
  .put('/', validate('json', SetApprovalSettings), async (c) =>
    c.json(success(await setApprovalSettings(c.var, c.req.valid('json')))),
  )
