import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { html } from 'hono/html'
import { z } from 'zod'
import { CreatePasscode, FindUsers, NamePayout, ReadAudit, Reason, SetLimits, SetStop } from '#schemas/ops.ts'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { actOf } from '../middleware/operator.ts'
import { validate } from '../middleware/validate.ts'
import { setLinkDown } from '../ops/claimLinks.ts'
import { isFormToken } from '../ops/formToken.ts'
import { createPasscode, passcodeList, revokePasscode } from '../ops/passcodes.ts'
import { recentActs } from '../ops/record.ts'
import { opsStatus, stuckWork } from '../ops/status.ts'
import { setStop, setWebhooksStopped } from '../ops/stops.ts'
import { accountReport, findUsers, readAudit, setLimits, setSuspended, wakeUser } from '../ops/users.ts'
import {
  accountContent,
  actsContent,
  auditContent,
  claimLinksContent,
  passcodesContent,
  statusContent,
  stuckContent,
  usersContent,
} from '../pages/ops/contents.ts'
import { formsFor, opsPage } from '../pages/ops/layout.ts'

/**
 * Accepts forms only from our own pages: browsers send the origin of a POST, and the token binds the form to the operator
 * that it was sent to.
 */
const ownForm = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
  const { env, now } = c.var.deps
  const origin = c.req.header('origin')
  const form = await c.req.parseBody()
  const token = typeof form.token === 'string' ? form.token : ''
  if (origin !== env.API_ORIGIN && origin !== env.APP_ORIGIN)
    throw new AppError('forbidden', 'This form was sent from another site.')
  if (!isFormToken(env, c.var.operator, token, now()))
    throw new AppError('forbidden', 'This form is too old or belongs to another operator. Go back and reload the page.')
  await next()
})

/** Converts form texts to the types of the API's schemas. An empty text means null. */
const numberOf = z.preprocess(
  (text) => (text === '' || text === undefined ? null : Number(text)),
  z.number().nullable(),
)
const emptyAsNull = (name: 'maxUses' | 'expiresInDays') => CreatePasscode.shape[name]
const NewPasscode = z.object({
  label: CreatePasscode.shape.label,
  reason: CreatePasscode.shape.reason,
  maxUses: numberOf.pipe(emptyAsNull('maxUses')),
  expiresInDays: numberOf.pipe(emptyAsNull('expiresInDays')),
})
const OneLimit = z
  .object({ name: z.string(), value: numberOf, reason: Reason.shape.reason })
  .transform(({ name, value, reason }) => ({
    limits: { [name]: value } as z.input<typeof SetLimits>['limits'],
    reason,
  }))
  .pipe(SetLimits)
const OlderAudit = z.object({ reason: Reason.shape.reason, before: numberOf.optional() }).pipe(ReadAudit)
const RevokePasscode = z.object({ id: z.string().trim(), reason: Reason.shape.reason })

/** Redirects to a page that confirms the action. */
const done = (c: Context<AppEnv>, path: string) => c.redirect(`${path}?done=1`, 303)
const notice = (c: Context<AppEnv>) => (c.req.query('done') ? { notice: 'Done and recorded.' } : {})

async function accountPage(c: Context<AppEnv>, userId: string) {
  const report = await accountReport(c.var.deps, userId)
  return opsPage(c, 'Account', accountContent(report, formsFor(c)), notice(c))
}

/** /ops: the pages of operators, over the services of /ops/api. */
export const opsPages = new Hono<AppEnv>()
  .use(ownForm)
  .get('/', async (c) => {
    const status = await opsStatus(c.var.deps)
    const who = html`<p class="muted">You are ${c.var.operator}. Your actions are recorded under this name.</p>`
    return opsPage(c, 'Operators', [who, ...statusContent(status, formsFor(c))], notice(c))
  })
  .post('/stop', validate('form', SetStop), async (c) => {
    const { reason, ...input } = c.req.valid('form')
    await setStop(c.var.deps, actOf(c, reason), input)
    return done(c, '/ops')
  })
  .post('/webhooks/stop', validate('form', Reason), async (c) => {
    await setWebhooksStopped(c.var.deps, actOf(c, c.req.valid('form').reason), true)
    return done(c, '/ops')
  })
  .post('/webhooks/resume', validate('form', Reason), async (c) => {
    await setWebhooksStopped(c.var.deps, actOf(c, c.req.valid('form').reason), false)
    return done(c, '/ops')
  })
  .get('/stuck', async (c) => opsPage(c, 'Stuck', stuckContent(await stuckWork(c.var.deps))))
  .get('/actions', async (c) => opsPage(c, 'Acts', actsContent(await recentActs(c.var.deps))))
  .get('/users', validate('query', FindUsers), async (c) => {
    const { find } = c.req.valid('query')
    return opsPage(c, 'Accounts', usersContent(find, await findUsers(c.var.deps, find)))
  })
  .get('/users/:userId', (c) => accountPage(c, c.req.param('userId')))
  .post('/users/:userId/suspend', validate('form', Reason), async (c) => {
    const userId = c.req.param('userId')
    await setSuspended(c.var.deps, actOf(c, c.req.valid('form').reason), userId, true)
    return done(c, `/ops/users/${encodeURIComponent(userId)}`)
  })
  .post('/users/:userId/unsuspend', validate('form', Reason), async (c) => {
    const userId = c.req.param('userId')
    await setSuspended(c.var.deps, actOf(c, c.req.valid('form').reason), userId, false)
    return done(c, `/ops/users/${encodeURIComponent(userId)}`)
  })
  .post('/users/:userId/wake', validate('form', Reason), async (c) => {
    const userId = c.req.param('userId')
    await wakeUser(c.var.deps, actOf(c, c.req.valid('form').reason), userId)
    return done(c, `/ops/users/${encodeURIComponent(userId)}`)
  })
  .post('/users/:userId/limits', validate('form', OneLimit), async (c) => {
    const userId = c.req.param('userId')
    const { reason, limits } = c.req.valid('form')
    await setLimits(c.var.deps, actOf(c, reason), userId, limits)
    return done(c, `/ops/users/${encodeURIComponent(userId)}`)
  })
  .post('/users/:userId/audit', validate('form', OlderAudit), async (c) => {
    const userId = c.req.param('userId')
    const { reason, before } = c.req.valid('form')
    const entries = await readAudit(c.var.deps, actOf(c, reason), userId, before ?? null)
    return opsPage(c, 'Audit log', auditContent(userId, entries, formsFor(c)))
  })
  .get('/claim-links', (c) => opsPage(c, 'Claim links', claimLinksContent(formsFor(c))))
  .post('/claim-links/take-down', validate('form', NamePayout), async (c) => {
    const { reason, payout } = c.req.valid('form')
    const state = await setLinkDown(c.var.deps, actOf(c, reason), payout, true)
    return opsPage(c, 'Claim links', claimLinksContent(formsFor(c), state))
  })
  .post('/claim-links/restore', validate('form', NamePayout), async (c) => {
    const { reason, payout } = c.req.valid('form')
    const state = await setLinkDown(c.var.deps, actOf(c, reason), payout, false)
    return opsPage(c, 'Claim links', claimLinksContent(formsFor(c), state))
  })
  .get('/passcodes', async (c) => {
    const content = passcodesContent(await passcodeList(c.var.deps), formsFor(c))
    return opsPage(c, 'Passcodes', content, notice(c))
  })
  .post('/passcodes', validate('form', NewPasscode), async (c) => {
    const { reason, ...input } = c.req.valid('form')
    const created = await createPasscode(c.var.deps, actOf(c, reason), input)
    return opsPage(c, 'Passcodes', passcodesContent(await passcodeList(c.var.deps), formsFor(c), created))
  })
  .post('/passcodes/revoke', validate('form', RevokePasscode), async (c) => {
    const { reason, id } = c.req.valid('form')
    await revokePasscode(c.var.deps, actOf(c, reason), id)
    return done(c, '/ops/passcodes')
  })
