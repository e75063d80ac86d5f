import { Hono } from 'hono'
import {
  CreatePasscode,
  EditPasscode,
  EndSessions,
  FindUsers,
  NamePayout,
  ReadAudit,
  Reason,
  Reproject,
  RestoreExport,
  RestoreUser,
  SetLimits,
  SetStop,
} from '#schemas/ops.ts'
import type { AppEnv } from '../appEnv.ts'
import { endAllSessions } from '../backup/endSessions.ts'
import { restoreExport } from '../backup/importExport.ts'
import { reproject } from '../backup/reproject.ts'
import { actOf, operator } from '../middleware/operator.ts'
import { requireJson } from '../middleware/requests.ts'
import { validate } from '../middleware/validate.ts'
import { setLinkDown } from '../ops/claimLinks.ts'
import { keyringStates, renewKeysNow, resetOldPasswords } from '../ops/keys.ts'
import { createPasscode, limitPasscode, passcodeList, revokePasscode } from '../ops/passcodes.ts'
import { recentActs } from '../ops/record.ts'
import { restoreUser } from '../ops/restoreUser.ts'
import { opsStatus, stuckWork, watchReports } from '../ops/status.ts'
import { currentStop, setStop, setWebhooksStopped } from '../ops/stops.ts'
import { accountReport, findUsers, readAudit, setLimits, setSuspended, wakeUser } from '../ops/users.ts'
import { readinessProblems } from '../readiness/readiness.ts'
import { success } from '../result.ts'

/** /ops: the operators' API, called by `npm run ops`. Every change is recorded with its actor and reason. */
export const ops = new Hono<AppEnv>()
  .use('/*', operator())
  .use('/api/*', requireJson)
  .get('/api/ready', async (c) => {
    const problems = await readinessProblems(c.var.deps)
    return c.json(success({ ready: problems.length === 0, problems }))
  })
  .get('/api/status', async (c) => c.json(success(await opsStatus(c.var.deps))))
  .get('/api/stuck', async (c) => c.json(success(await stuckWork(c.var.deps))))
  .get('/api/watch', async (c) => c.json(success(await watchReports(c.var.deps))))
  .get('/api/stop', async (c) => c.json(success(await currentStop(c.var.deps))))
  .post('/api/stop', validate('json', SetStop), async (c) => {
    const { reason, ...input } = c.req.valid('json')
    return c.json(success(await setStop(c.var.deps, actOf(c, reason), input)))
  })
  .post('/api/webhooks/stop', validate('json', Reason), async (c) =>
    c.json(success(await setWebhooksStopped(c.var.deps, actOf(c, c.req.valid('json').reason), true))),
  )
  .post('/api/webhooks/resume', validate('json', Reason), async (c) =>
    c.json(success(await setWebhooksStopped(c.var.deps, actOf(c, c.req.valid('json').reason), false))),
  )
  .get('/api/users', validate('query', FindUsers), async (c) =>
    c.json(success(await findUsers(c.var.deps, c.req.valid('query').find))),
  )
  .get('/api/users/:userId', async (c) => c.json(success(await accountReport(c.var.deps, c.req.param('userId')))))
  .post('/api/users/:userId/suspend', validate('json', Reason), async (c) => {
    const act = actOf(c, c.req.valid('json').reason)
    return c.json(success(await setSuspended(c.var.deps, act, c.req.param('userId'), true)))
  })
  .post('/api/users/:userId/unsuspend', validate('json', Reason), async (c) => {
    const act = actOf(c, c.req.valid('json').reason)
    return c.json(success(await setSuspended(c.var.deps, act, c.req.param('userId'), false)))
  })
  .post('/api/users/:userId/wake', validate('json', Reason), async (c) => {
    await wakeUser(c.var.deps, actOf(c, c.req.valid('json').reason), c.req.param('userId'))
    return c.json(success(null))
  })
  .post('/api/users/:userId/restore', validate('json', RestoreUser), async (c) => {
    const { reason, ...input } = c.req.valid('json')
    return c.json(success(await restoreUser(c.var.deps, actOf(c, reason), c.req.param('userId'), input)))
  })
  .patch('/api/users/:userId/limits', validate('json', SetLimits), async (c) => {
    const { reason, limits } = c.req.valid('json')
    return c.json(success(await setLimits(c.var.deps, actOf(c, reason), c.req.param('userId'), limits)))
  })
  .post('/api/users/:userId/audit', validate('json', ReadAudit), async (c) => {
    const { reason, before } = c.req.valid('json')
    return c.json(success(await readAudit(c.var.deps, actOf(c, reason), c.req.param('userId'), before ?? null)))
  })
  .post('/api/claim-links/take-down', validate('json', NamePayout), async (c) => {
    const { reason, payout } = c.req.valid('json')
    return c.json(success(await setLinkDown(c.var.deps, actOf(c, reason), payout, true)))
  })
  .post('/api/claim-links/restore', validate('json', NamePayout), async (c) => {
    const { reason, payout } = c.req.valid('json')
    return c.json(success(await setLinkDown(c.var.deps, actOf(c, reason), payout, false)))
  })
  .get('/api/keys', async (c) => c.json(success(await keyringStates(c.var.deps))))
  .post('/api/keys/renew', validate('json', Reason), async (c) =>
    c.json(success(await renewKeysNow(c.var.deps, actOf(c, c.req.valid('json').reason)))),
  )
  .post('/api/keys/reset-passwords', validate('json', Reason), async (c) =>
    c.json(success(await resetOldPasswords(c.var.deps, actOf(c, c.req.valid('json').reason)))),
  )
  .post('/api/reproject', validate('json', Reproject), async (c) => {
    const { reason, cursor = null, dryRun: isDry, restored: wasRestored } = c.req.valid('json')
    return c.json(success(await reproject(c.var.deps, actOf(c, reason), { cursor, isDry, wasRestored })))
  })
  .post('/api/end-sessions', validate('json', EndSessions), async (c) => {
    const { reason, dryRun } = c.req.valid('json')
    return c.json(success(await endAllSessions(c.var.deps, actOf(c, reason), dryRun)))
  })
  .post('/api/restore-export', validate('json', RestoreExport), async (c) => {
    const { reason, run = null, from, dryRun } = c.req.valid('json')
    return c.json(success(await restoreExport(c.var.deps, actOf(c, reason), { run, from, isDry: dryRun })))
  })
  .get('/api/actions', async (c) => c.json(success(await recentActs(c.var.deps))))
  .get('/api/passcodes', async (c) => c.json(success(await passcodeList(c.var.deps))))
  .post('/api/passcodes', validate('json', CreatePasscode), async (c) => {
    const { reason, ...input } = c.req.valid('json')
    return c.json(success(await createPasscode(c.var.deps, actOf(c, reason), input)), 201)
  })
  .patch('/api/passcodes/:passcodeId', validate('json', EditPasscode), async (c) => {
    const { reason, ...input } = c.req.valid('json')
    return c.json(success(await limitPasscode(c.var.deps, actOf(c, reason), c.req.param('passcodeId'), input)))
  })
  .post('/api/passcodes/:passcodeId/revoke', validate('json', Reason), async (c) => {
    const act = actOf(c, c.req.valid('json').reason)
    return c.json(success(await revokePasscode(c.var.deps, act, c.req.param('passcodeId'))))
  })
