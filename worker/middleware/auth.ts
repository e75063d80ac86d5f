import type { Context, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { memberCaller, ownAccount, type PersonId } from '#domain/accounts.ts'
import { limitsFrom } from '#domain/limits.ts'
import type { Call } from '#domain/roles.ts'
import { allScopes, type Scope } from '#domain/scopes.ts'
import type { AppEnv } from '../appEnv.ts'
import { AppError, unknownCredential } from '../errors.ts'
import { agentOfApiKey } from '../identity/credentials.ts'
import { verifyAgentToken, verifyUserToken } from '../identity/tokens.ts'
import { unwrap } from '../result.ts'
import { withConcurrencyLimit } from '../services/concurrencyLimit.ts'
import { namedAccount, requireMembership } from '../services/memberships.ts'
import { requireOpenSession } from '../services/openSession.ts'
import { agentCalls, agentCallsAtOnce, consumeQuota, quotaOf, wrongCredentials } from '../services/quotas.ts'
import { ownerTreasuryOf } from '../treasuryOf.ts'
import { callerAddress, rateLimit } from './rateLimit.ts'

/**
 * Identifies the signed-in person by the access token, not by X-User-ID, and the account that they act for: their own, or the
 * one in X-Account-ID. `checkedBy` says what refuses a login session that has ended: `d1` before the route runs, or `treasury`
 * in the call that the route makes anyway, by `c.var.treasury` or History, which also decides what a member's role allows. A
 * route that calls neither before it reads or writes needs `d1`, with the call that roles allow (domain/roles.ts), or `own` for
 * what belongs to the person: it ignores X-Account-ID.
 */
export function login(checkedBy: 'treasury' | 'own'): MiddlewareHandler<AppEnv>
export function login(checkedBy: 'd1', call: Call | 'own'): MiddlewareHandler<AppEnv>
export function login(checkedBy: 'd1' | 'treasury' | 'own', call?: Call | 'own'): MiddlewareHandler<AppEnv> {
  return createMiddleware<AppEnv>(async (c, next) => {
    const { env, now } = c.var.deps
    const token = bearer(c)
    if (!token) throw new AppError('unauthenticated', 'Authentication required. Please sign in.')
    const { userId, sessionId } = await verifyUserToken(env, token, now())
    const personId = userId as PersonId
    const claimed = c.req.header('x-user-id')
    if (claimed !== undefined && claimed !== personId)
      throw new AppError('forbidden', 'The X-User-ID header does not match the signed-in user.')
    await rateLimit(c, quotaOf('user', env), personId)
    await withConcurrencyLimit(`user ${personId}`, limitsFrom(env).userCallsAtOnce, async () => {
      const isOwn = checkedBy === 'own' || call === 'own'
      const accountId = namedAccount(isOwn ? undefined : c.req.header('x-account-id'), personId)
      const isMember = accountId !== ownAccount(personId)
      const caller = isMember ? memberCaller(personId) : sessionId
      if (isMember) {
        await requireMembership(c.var.deps, { personId, accountId, sessionId })
        await rateLimit(c, quotaOf('members', env), accountId)
      }
      c.set('personId', personId)
      c.set('accountId', accountId)
      c.set('callerId', caller)
      c.set('treasury', ownerTreasuryOf(env, accountId, caller))
      c.set('loginSessionId', sessionId)
      if (checkedBy === 'd1' && !isMember) await requireOpenSession(c.var)
      if (checkedBy === 'd1' && isMember) unwrap(await c.var.treasury.people().mayCall(call as Call))
      await next()
    })
  })
}

/**
 * Identifies the agent behind a request to `resource` by an access token issued for that resource or by an API key. This
 * only authenticates the caller; the Treasury decides on every call whether the agent may act.
 */
export const agent = (resource: '/v1' | '/mcp') =>
  createMiddleware<AppEnv>(async (c, next) => {
    const token = bearer(c)
    if (!token) {
      challenge(c, resource)
      throw new AppError('unauthenticated', 'Send an access token or an API key in the Authorization header.')
    }
    const via = resource === '/mcp' ? 'mcp' : 'api'
    c.set('agent', {
      ...(token.startsWith('bk_') ? byApiKey(c, resource, token) : await byToken(c, resource, token)),
      via,
    })
    const { agentId } = c.var.agent
    await rateLimit(c, agentCalls, agentId)
    await withConcurrencyLimit(`agent ${agentId}`, agentCallsAtOnce, next)
  })

/** The key names the agent, and only keys that we issued do. Whether it is valid, the Treasury decides, as for a token. */
function byApiKey(c: Context<AppEnv>, resource: '/v1' | '/mcp', apiKey: string) {
  const { env, now } = c.var.deps
  const found = agentOfApiKey(env, apiKey)
  if (found) return { ...found, scopes: [...allScopes] }
  consumeQuota(wrongCredentials, callerAddress(c), now())
  challenge(c, resource, 'invalid_token')
  throw new AppError('unauthenticated', unknownCredential)
}

async function byToken(c: Context<AppEnv>, resource: '/v1' | '/mcp', token: string) {
  const { env, now } = c.var.deps
  const verified = await verifyAgentToken(env, token, `${env.API_ORIGIN}${resource}`, now()).catch((cause) => {
    if (!(cause instanceof AppError)) throw cause
    challenge(c, resource, 'invalid_token')
    const message = isSigned(token)
      ? 'This access token has expired or was not issued for this API. Request a new one.'
      : 'This is neither an API key of an agent, which begins with bk_, nor an access token.'
    throw new AppError('unauthenticated', message, { cause })
  })
  const { userId, agentId, credentialHash, scopes, tokenId } = verified
  return { userId, agentId, credentialHash, scopes, tokenId }
}

/** Whether a text has the three parts of a JWT. */
const isSigned = (token: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

/**
 * Sets WWW-Authenticate, without `error` if the request had no credentials (RFC 6750 section 3). Without `scope` it names all
 * scopes, because an app requests those that it is told; the group decides which it gets. `resource_metadata` says
 * where to get a token (RFC 9728).
 */
export function challenge(
  c: Context<AppEnv>,
  resource: '/v1' | '/mcp',
  error?: 'invalid_token' | 'insufficient_scope',
  scope: Scope | null = null,
) {
  const metadata = `${c.env.API_ORIGIN}/.well-known/oauth-protected-resource${resource}`
  const errorPart = error ? `error="${error}", ` : ''
  c.header(
    'WWW-Authenticate',
    `Bearer ${errorPart}scope="${scope ?? allScopes.join(' ')}", resource_metadata="${metadata}"`,
  )
}

function bearer(c: Context<AppEnv>): string | null {
  return /^Bearer +([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null
}
