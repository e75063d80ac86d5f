import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { ownerPassword as passwordSchema } from '../schemas/common.ts'
import { checkPassword } from '../services/passwords.ts'

/**
 * For routes that may raise what leaves without a person: sets `passwordChecked` if the body's `password` is the signed-in
 * user's. Throws for a wrong one. Without one, the Treasury answers 422 `password_required` where the owner's limit needs it.
 */
export const ownerPassword = () =>
  createMiddleware<AppEnv>(async (c, next) => {
    const body: unknown = await c.req.json().catch(() => null)
    const password = body && typeof body === 'object' && 'password' in body ? body.password : undefined
    const parsed = passwordSchema.safeParse(password)
    if (!parsed.success)
      throw new AppError('invalid_input', 'Password must be text of 1 to 1,000 characters', { field: 'password' })
    c.set('passwordChecked', await checkPassword(c.var, parsed.data))
    await next()
  })
