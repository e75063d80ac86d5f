import { Hono } from 'hono'
import { ConfirmContact, ConfirmRules, CreatePolicyGroup, TopUp, UpdatePolicyGroup } from '#schemas/policy.ts'
import { ReplayRequest } from '#schemas/replay.ts'
import { BudgetHistoryQuery } from '#schemas/usage.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { readsRows } from '../middleware/lists.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { confirmRules, createGroup, deleteGroup, editGroup } from '../services/policies.ts'
import { replayGroup } from '../services/replay.ts'
import { setPaused } from './setPaused.ts'

/** /api/policy-groups */
export const policyGroups = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success((await c.var.treasury.policies().groups()).map((entry) => entry.policyGroup))))
  .get('/with-agents', async (c) => c.json(success(await c.var.treasury.policies().groups())))
  .post('/', validate('json', CreatePolicyGroup), async (c) =>
    c.json(success(await createGroup(c.var, idempotencyKey(c), c.req.valid('json'))), 201),
  )
  .get('/:groupId', async (c) => c.json(success(unwrap(await c.var.treasury.policies().group(c.req.param('groupId'))))))
  .get('/:groupId/whitelist', readsRows(), async (c) =>
    c.json(success(unwrap(await c.var.treasury.policies().whitelist(c.req.param('groupId'))))),
  )
  .put('/:groupId', ownerPassword(), validate('json', UpdatePolicyGroup), async (c) => {
    const { passwordChecked } = c.var
    return c.json(success(await editGroup(c.var, c.req.param('groupId'), c.req.valid('json'), passwordChecked)))
  })
  .post('/:groupId/replay', readsRows({ isSearch: true }), validate('json', ReplayRequest), async (c) =>
    c.json(success(await replayGroup(c.var, c.req.param('groupId'), c.req.valid('json')))),
  )
  .get('/:groupId/budget-history', validate('query', BudgetHistoryQuery), async (c) => {
    return c.json(
      success(unwrap(await c.var.treasury.reports().budgetHistory(c.req.param('groupId'), c.req.valid('query')))),
    )
  })
  .post('/:groupId/top-up', ownerPassword(), validate('json', TopUp), async (c) => {
    const { amount } = c.req.valid('json')
    const { treasury, passwordChecked } = c.var
    const raised = treasury.policies().topUp(c.req.param('groupId'), amount, idempotencyKey(c), passwordChecked)
    return c.json(success(unwrap(await raised)))
  })
  .delete('/:groupId/cascade', async (c) => c.json(success(await deleteGroup(c.var, c.req.param('groupId')))))
  .post('/:groupId/pause', async (c) => setPaused(c, { kind: 'group', id: c.req.param('groupId') }, true))
  .post('/:groupId/resume', ownerPassword(), async (c) =>
    setPaused(c, { kind: 'group', id: c.req.param('groupId') }, false),
  )
  .post('/:groupId/confirm', validate('json', ConfirmRules), async (c) =>
    c.json(success(await confirmRules(c.var, c.req.param('groupId'), c.req.valid('json').version))),
  )
  .post('/:groupId/contacts/:contactId/confirm', ownerPassword(), validate('json', ConfirmContact), async (c) => {
    const { groupId, contactId } = c.req.param()
    const { treasury, passwordChecked } = c.var
    const confirmed = treasury.policies().confirmContact(groupId, contactId, c.req.valid('json'), passwordChecked)
    return c.json(success(unwrap(await confirmed)))
  })
