import { Hono } from 'hono'
import { ChangesFilter, ChangesQuery, EndChanges, LogQuery } from '#schemas/change.ts'
import { ReadNotices } from '#schemas/notice.ts'
import { Preferences } from '#schemas/preferences.ts'
import { NamedPushSubscription, SavePushSubscription } from '#schemas/push.ts'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { readsRows } from '../middleware/lists.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success } from '../result.ts'
import { exportChanges, exportLog } from '../services/changes.ts'
import { readPreferences, writePreferences } from '../services/preferences.ts'
import { pushKey, removePushSubscription, savePushSubscription, testPush } from '../services/push.ts'
import { setPaused } from './setPaused.ts'

/** /api/account: settings of the whole account. */
export const account = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await c.var.treasury.policies().account())))
  .get('/handed-out', async (c) => c.json(success(await c.var.treasury.policies().handedOut())))
  .post('/pause', async (c) => setPaused(c, { kind: 'account' }, true))
  .post('/resume', ownerPassword(), async (c) => setPaused(c, { kind: 'account' }, false))

/** /api/preferences */
export const preferences = new Hono<AppEnv>()
  .use(login('d1', 'own'))
  .get('/', async (c) => c.json(success(await readPreferences(c.var.deps, c.var.personId))))
  .put('/', validate('json', Preferences), async (c) => {
    await writePreferences(c.var.deps, c.var.personId, c.req.valid('json'))
    return c.json(success(null))
  })

/** /api/notices: the notices behind the bell. GET does not mark them as read. */
export const notices = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await c.var.treasury.notices().list())))
  .get('/count', async (c) => c.json(success(await c.var.treasury.notices().count())))
  .post('/read', validate('json', ReadNotices), async (c) =>
    c.json(success(await c.var.treasury.notices().markRead(c.req.valid('json').upTo))),
  )

/** /api/changes: the owner's history of changes. */
export const changes = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', validate('query', ChangesQuery), async (c) => {
    const { before = null, ...wanted } = c.req.valid('query')
    return c.json(success(await c.var.treasury.review().changes(wanted, before)))
  })
  .get('/export', readsRows({ isSearch: true }), validate('query', ChangesFilter), (c) =>
    exportChanges(c.var, c.req.valid('query')),
  )
  .post('/end', validate('json', EndChanges), async (c) =>
    c.json(success(await c.var.treasury.review().endMade(c.req.valid('json').ids))),
  )

/** /api/push: notifications in the user's browsers. */
export const push = new Hono<AppEnv>()
  .use(login('d1', 'own'))
  .get('/key', (c) => c.json(success(pushKey(c.var.deps))))
  .post('/subscriptions', validate('json', SavePushSubscription), async (c) => {
    const { deps, personId: id, loginSessionId: sessionId } = c.var
    await savePushSubscription(deps, { id, sessionId }, c.req.valid('json'))
    return c.json(success(null), 201)
  })
  .delete('/subscriptions', validate('json', NamedPushSubscription), async (c) => {
    await removePushSubscription(c.var.deps, c.var.personId, c.req.valid('json').endpoint)
    return c.json(success(null))
  })
  .post('/test', validate('json', NamedPushSubscription), async (c) =>
    c.json(success(await testPush(c.var.deps, c.var.personId, c.req.valid('json').endpoint))),
  )

/** /api/audit: the audit log. Verifying it here is for local stacks, because it reads the whole log in one call. */
export const audit = new Hono<AppEnv>()
  .get('/', login('d1', 'own'), async (c) => {
    if (c.env.ENVIRONMENT !== 'local') throw new AppError('not_found', 'Not found.')
    return c.json(success(await c.var.treasury.reports().auditCheck()))
  })
  .get('/export', login('treasury'), readsRows({ isSearch: true }), validate('query', LogQuery), (c) =>
    exportLog(c.var, c.req.valid('query').after),
  )
