import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { ChangePassword, CompleteOnboarding, EditUser, LinkAddress, SignupWithPasscode } from '#schemas/account.ts'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { addressLimit, callerAddress, passwordTurn } from '../middleware/rateLimit.ts'
import { validate } from '../middleware/validate.ts'
import { success } from '../result.ts'
import { changePassword, completeOnboarding, getUser, rename, signUp } from '../services/accounts.ts'
import { addressNonce, linkAddress, unlinkAddress } from '../services/publicAddress.ts'

/** Another user's id gets the same response as an unknown id. */
export const ownUser = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.param('userId') !== c.var.personId) throw new AppError('not_found', 'User not found.')
  await next()
})

/** /api/users */
export const users = new Hono<AppEnv>()
  .post('/', addressLimit('sign-in'), passwordTurn, validate('json', SignupWithPasscode), async (c) => {
    const reply = await signUp(c.var.deps, c.req.valid('json'), callerAddress(c))
    return c.json(success(reply, 'Account created! Check your email for login credentials.'), 201)
  })
  .post('/complete-onboarding', login('d1', 'own'), validate('json', CompleteOnboarding), async (c) =>
    c.json(success(await completeOnboarding(c.var.deps, c.var.personId, c.var.loginSessionId, c.req.valid('json')))),
  )
  .get('/:userId', login('d1', 'own'), ownUser, async (c) => c.json(success(await getUser(c.var.deps, c.var.personId))))
  .patch('/:userId', login('d1', 'own'), ownUser, validate('json', EditUser), async (c) =>
    c.json(success(await rename(c.var.deps, c.var.personId, c.req.valid('json').name))),
  )
  .post('/:userId/public-address/nonce', login('d1', 'own'), ownUser, async (c) =>
    c.json(success(await addressNonce(c.var.deps, c.var.personId))),
  )
  .patch('/:userId/public-address', login('d1', 'own'), ownUser, validate('json', LinkAddress), async (c) => {
    const { publicAddress, signature } = c.req.valid('json')
    const { deps, personId } = c.var
    if (publicAddress === null || signature === undefined) return c.json(success(await unlinkAddress(deps, personId)))
    return c.json(success(await linkAddress(deps, personId, { publicAddress, signature })))
  })
  .patch('/:userId/change-password', login('d1', 'own'), ownUser, validate('json', ChangePassword), async (c) => {
    await changePassword(c.var.deps, c.var.personId, c.var.loginSessionId, c.req.valid('json'))
    return c.json(success(null, 'Password changed successfully!'))
  })
