import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { allScopes, type Scope } from '../domain/scopes.ts'
import { AppError } from '../errors.ts'
import { resolveApiKey } from '../identity/credentials.ts'
import { verifyAgentToken, verifyUserToken } from '../identity/tokens.ts'
import { agentCalls, refuseSpent, wrongCredentials } from '../services/quotas.ts'
import { sessionStillOpen } from '../services/sessions.ts'
import { inTurn } from '../services/turns.ts'
import { callerAddress } from './callerAddress.ts'
import { admitAndTell } from './rateLimit.ts'

/** The signed-in user, from the access token alone. */
export const login = () =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { env, db, now } = c.var.deps
    const token = bearer(c)
    if (!token) throw new AppError('unauthenticated', 'Authentication required. Please sign in.')
    const { userId, sessionId } = await verifyUserToken(env, token, now())
    const claimed = c.req.header('x-user-id')
    if (claimed !== undefined && claimed !== userId)
      throw new AppError('forbidden', 'The X-User-ID header names somebody else.')
    if (!(await sessionStillOpen(db, sessionId, userId, now())))
      throw new AppError('unauthenticated', 'Your session has expired. Please sign in again.')
    c.set('userId', userId)
    c.set('sessionId', sessionId)
    await next()
  })

/**
 * The agent behind a request to `resource` ('/v1' or '/mcp'): an access token made for that resource, or an API key.
 * It says who asks, nothing more: whether the agent may act is for the Treasury, on every call.
 */
export const agent = (resource: '/v1' | '/mcp') =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { deps } = c.var
    const { env, now } = deps
    const token = bearer(c)
    if (!token) {
      challenge(c, resource)
      throw new AppError('unauthenticated', 'Send an access token or an API key in the Authorization header.')
    }
    if (token.startsWith('bk_')) {
      const found = await resolveApiKey(() => dbForStrangers(c), token, now())
      if (!found) {
        wrongCredentials.take(callerAddress(c), now())
        challenge(c, resource, 'invalid_token')
        throw new AppError('unauthenticated', 'This API key is unknown or no longer valid.')
      }
      const { userId, agentId, credentialHash } = found
      c.set('agent', { userId, agentId, credentialHash, scopes: [...allScopes] })
    } else {
      const found = await verifyAgentToken(env, token, `${env.API_ORIGIN}${resource}`, now()).catch((cause) => {
        if (!(cause instanceof AppError)) throw cause
        challenge(c, resource, 'invalid_token')
        throw new AppError(
          'unauthenticated',
          'This access token has expired or is not valid here. Ask for a new one.',
          { cause },
        )
      })
      const { userId, agentId, credentialHash, scopes, tokenId } = found
      c.set('agent', { userId, agentId, credentialHash, scopes, tokenId })
    }
    const { agentId } = c.var.agent
    admitAndTell(c, agentCalls, agentId)
    await inTurn(agentId, next)
  })

/** D1 is asked about keys this isolate does not know: not again and again for somebody who guesses. */
function dbForStrangers(c: Context<AppEnv>) {
  const { deps } = c.var
  refuseSpent(wrongCredentials, callerAddress(c), deps.now())
  return deps.db
}

/** RFC 6750 section 3: no error code when nothing was presented. RFC 9728 says where to get a token. */
export function challenge(
  c: Context<AppEnv>,
  resource: '/v1' | '/mcp',
  error?: 'invalid_token' | 'insufficient_scope',
  scope: Scope = 'payment_context:read',
) {
  const metadata = `${c.env.API_ORIGIN}/.well-known/oauth-protected-resource${resource}`
  const why = error ? `error="${error}", ` : ''
  c.header('WWW-Authenticate', `Bearer ${why}scope="${scope}", resource_metadata="${metadata}"`)
}

function bearer(c: Context<AppEnv>): string | null {
  return /^Bearer +([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null
}
