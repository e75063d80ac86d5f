import { Hono } from 'hono'
import {
  AnswerChallenge,
  AskForCode,
  ConfirmByLink,
  ConfirmEmail,
  type ConfirmReply,
  Login,
  Refresh,
  ResetPassword,
  ResetPasswordByLink,
  Signup,
} from '#schemas/account.ts'
import type { AppEnv } from '../appEnv.ts'
import { addressLimit, callerAddress, passwordTurn } from '../middleware/rateLimit.ts'
import { validate } from '../middleware/validate.ts'
import { success } from '../result.ts'
import {
  confirmEmail,
  forgotPassword,
  resendConfirmation,
  resetPassword,
  signUpWithPassword,
} from '../services/emailCodes.ts'
import { answerChallenge, login, refresh, signOut } from '../services/loginSessions.ts'

const passwordChanged = 'Password changed! You can sign in with it now.'
const confirmed = (reply: ConfirmReply) =>
  success(reply, `Email confirmed! ${reply.passwordKept ? 'You can sign in now.' : 'Please choose a new password.'}`)

/** /api/auth/cognito */
export const auth = new Hono<AppEnv>()
  .use(addressLimit('sign-in'))
  .post('/login', passwordTurn, validate('json', Login), async (c) =>
    c.json(success(await login(c.var.deps, c.req.valid('json'), callerAddress(c)))),
  )
  .post('/new-password', passwordTurn, validate('json', AnswerChallenge), async (c) =>
    c.json(success(await answerChallenge(c.var.deps, c.req.valid('json')))),
  )
  .post('/refresh', validate('json', Refresh), async (c) =>
    c.json(success(await refresh(c.var.deps, c.req.valid('json').refreshToken))),
  )
  .post('/sign-out', validate('json', Refresh), async (c) => {
    await signOut(c.var.deps, c.req.valid('json').refreshToken)
    return c.json(success(null))
  })
  .post('/signup', passwordTurn, validate('json', Signup), async (c) => {
    const reply = await signUpWithPassword(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(success(reply, 'Account created! Check your email for the confirmation code.'), 201)
  })
  .post('/confirm', validate('json', ConfirmEmail), async (c) =>
    c.json(confirmed(await confirmEmail(c.var.deps, c.req.valid('json'), callerAddress(c)))),
  )
  .post('/confirm-link', validate('json', ConfirmByLink), async (c) =>
    c.json(confirmed(await confirmEmail(c.var.deps, c.req.valid('json'), callerAddress(c)))),
  )
  .post('/resend-code', validate('json', AskForCode), async (c) => {
    await resendConfirmation(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(success(null, 'If this account is waiting for confirmation, a new code is on its way.'))
  })
  .post('/forgot-password', validate('json', AskForCode), async (c) => {
    await forgotPassword(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(success(null, 'If there is an account with this email, a code is on its way.'))
  })
  .post('/reset-password', passwordTurn, validate('json', ResetPassword), async (c) => {
    await resetPassword(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(success(null, passwordChanged))
  })
  .post('/reset-password-link', passwordTurn, validate('json', ResetPasswordByLink), async (c) => {
    await resetPassword(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(success(null, passwordChanged))
  })

/** /api/login: the older of the two sign-ins; `token` is the access token. */
export const plainLogin = new Hono<AppEnv>().post(
  '/',
  addressLimit('sign-in'),
  passwordTurn,
  validate('json', Login),
  async (c) => {
    const reply = await login(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(success('challengeName' in reply ? reply : { token: reply.accessToken, user: reply.user }))
  },
)
