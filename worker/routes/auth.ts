import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { ok } from '../errors.ts'
import { validate } from '../middleware/validate.ts'
import { AnswerChallenge, Login, Refresh } from '../schemas/account.ts'
import { answerChallenge, login, refresh } from '../services/sessions.ts'
import { callerAddress } from './callerAddress.ts'

/** /api/auth/cognito */
export const auth = new Hono<AppEnv>()
  .post('/login', validate('json', Login), async (c) =>
    c.json(ok(await login(c.var.deps, c.req.valid('json'), callerAddress(c)))),
  )
  .post('/new-password', validate('json', AnswerChallenge), async (c) =>
    c.json(ok(await answerChallenge(c.var.deps, c.req.valid('json')))),
  )
  .post('/refresh', validate('json', Refresh), async (c) =>
    c.json(ok(await refresh(c.var.deps, c.req.valid('json').refreshToken))),
  )

/** /api/login: the older of the two sign-ins; `token` is the access token. */
export const plainLogin = new Hono<AppEnv>().post('/', validate('json', Login), async (c) => {
  const reply = await login(c.var.deps, c.req.valid('json'), callerAddress(c))
  return c.json(ok('challengeName' in reply ? reply : { token: reply.accessToken, user: reply.user }))
})
