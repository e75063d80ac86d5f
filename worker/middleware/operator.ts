import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { operatorOf } from '../ops/accessToken.ts'
import type { Act } from '../ops/record.ts'

/**
 * Identifies the operator by the token that Cloudflare Access adds to each request or, on a local stack, by a header. Access
 * also accepts its cookie, so changes from a browser must come from our own origin: otherwise another site could make an
 * operator's browser send them (CSRF).
 */
export const operator = () =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { env, now } = c.var.deps
    const token = c.req.header('cf-access-jwt-assertion')
    const actor = token ? await operatorOf(env, token, now()).catch(keysUnavailable) : localOperator(c)
    if (actor === null) throw new AppError('unauthenticated', 'Authentication as an operator is required.')
    const origin = c.req.header('origin')
    if (c.req.method !== 'GET' && origin !== undefined && origin !== env.API_ORIGIN && origin !== env.APP_ORIGIN)
      throw new AppError('forbidden', 'This request comes from another site.')
    c.set('operator', actor)
    c.header('cache-control', 'no-store')
    await next()
  })

function keysUnavailable(cause: unknown): never {
  throw new AppError('unavailable', 'Operators cannot be verified right now.', { cause })
}

/**
 * A local stack has no Cloudflare Access. There, the service token that `npm run ops` uses by default is enough: only this
 * machine can reach the stack, and other sites cannot set the header. Always null elsewhere.
 */
const localOperator = (c: Context<AppEnv>): string | null =>
  c.env.ENVIRONMENT === 'local' && c.req.header('cf-access-client-id') === 'local' ? 'local operator' : null

/** The act of the signed-in operator, for recording it. */
export const actOf = (c: Context<AppEnv>, reason: string): Act => ({ actor: c.var.operator, reason })
