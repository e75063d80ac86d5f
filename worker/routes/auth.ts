import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { ok } from '../errors.ts'
import { callerAddress } from '../middleware/callerAddress.ts'
import { validate } from '../middleware/validate.ts'
import { AnswerChallenge, AskForCode, ConfirmEmail, Login, Refresh, ResetPassword, Signup } from '../schemas/account.ts'
import {
  confirmEmail,
  forgotPassword,
  resendConfirmation,
  resetPassword,
  signUpWithPassword,
} from '../services/emailCodes.ts'
import { answerChallenge, login, refresh, signOut } from '../services/sessions.ts'

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
  .post('/sign-out', validate('json', Refresh), async (c) => {
    await signOut(c.var.deps, c.req.valid('json').refreshToken)
    return c.json(ok(null))
  })
  .post('/signup', validate('json', Signup), async (c) => {
    const reply = await signUpWithPassword(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(ok(reply, 'Account created! Check your email for the confirmation code.'), 201)
  })
  .post('/confirm', validate('json', ConfirmEmail), async (c) => {
    await confirmEmail(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(ok(null, 'Email confirmed! You can sign in now.'))
  })
  .post('/resend-code', validate('json', AskForCode), async (c) => {
    await resendConfirmation(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(ok(null, 'If this account is waiting for confirmation, a new code is on its way.'))
  })
  .post('/forgot-password', validate('json', AskForCode), async (c) => {
    await forgotPassword(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(ok(null, 'If there is an account with this email, a code is on its way.'))
  })
  .post('/reset-password', validate('json', ResetPassword), async (c) => {
    await resetPassword(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(ok(null, 'Password changed! You can sign in with it now.'))
  })

/** /api/login: the older of the two sign-ins; `token` is the access token. */
export const plainLogin = new Hono<AppEnv>().post('/', validate('json', Login), async (c) => {
  const reply = await login(c.var.deps, c.req.valid('json'), callerAddress(c))
  return c.json(ok('challengeName' in reply ? reply : { token: reply.accessToken, user: reply.user }))
})
