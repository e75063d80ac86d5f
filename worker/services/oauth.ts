import { allScopes, type Scope } from '#domain/scopes.ts'
import type { Deps } from '../appEnv.ts'
import { AppError, OAuthError } from '../errors.ts'
import type { ResolvedAgent } from '../identity/credentials.ts'
import { type AgentToken, accessTokenMs, signAgentToken, verifyAgentToken } from '../identity/tokens.ts'
import type { Principal } from '../treasury/core/rpcTypes.ts'
import { authenticate, type OAuthRequest, refuseClient } from './oauthClient.ts'
import { consumeQuota, tokenRequests } from './quotas.ts'

/** Resources that access tokens can be issued for. Each has its own metadata document (RFC 9728). */
export const resources = ['/v1', '/mcp'] as const

export type TokenReply = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string }

/**
 * Client credentials grant. The granted scope is what the policy group currently allows. It is a ceiling: every call is
 * also checked against what the group allows at that moment.
 */
export async function issueToken(deps: Deps, request: OAuthRequest): Promise<TokenReply> {
  const { env } = deps
  const now = deps.now()
  const client = await authenticate(deps, request)
  const { form } = request
  const grant = form.get('grant_type')
  if (!grant) throw new OAuthError('invalid_request', 'Missing grant_type.')
  if (grant !== 'client_credentials')
    throw new OAuthError('unsupported_grant_type', 'The only supported grant_type is client_credentials.')
  const audience = audienceOf(form.getAll('resource'), env.API_ORIGIN)
  const requested = requestedScopes(form.get('scope'))
  consumeQuota(tokenRequests, client.clientId, now)
  const allowed = await allowedScopes(deps, client)
  if (!allowed) return refuseClient(deps, request, client.clientId)
  const scopes = grantedScopes(requested, allowed)
  const token = await signAgentToken(env, { ...client, scopes }, audience, now)
  return { access_token: token, token_type: 'Bearer', expires_in: accessTokenMs / 1000, scope: scopes.join(' ') }
}

/** RFC 7009: revokes the client's own token immediately. Has no effect on other tokens, but still succeeds. */
export async function revokeToken(deps: Deps, request: OAuthRequest): Promise<void> {
  const client = await authenticate(deps, request)
  const token = await tokenOf(deps, client, request.form)
  if (token) await deps.env.TREASURY.getByName(client.userId).policies().revokeToken(token.tokenId, token.expiresAt)
}

export type Introspection =
  | { active: false }
  | {
      active: true
      scope: string
      client_id: string
      token_type: 'Bearer'
      exp: number
      iat: number
      sub: string
      aud: string
      iss: string
      jti: string
    }

/** RFC 7662, for the client's own tokens. `scope` is what the token grants now, not what it was issued with. */
export async function introspect(deps: Deps, request: OAuthRequest): Promise<Introspection> {
  const client = await authenticate(deps, request)
  const token = await tokenOf(deps, client, request.form)
  const allowed = token && (await allowedScopes(deps, token))
  if (!token || !allowed) return { active: false }
  return {
    active: true,
    scope: token.scopes.filter((scope) => allowed.includes(scope)).join(' '),
    client_id: token.clientId,
    token_type: 'Bearer',
    exp: Math.floor(token.expiresAt / 1000),
    iat: Math.floor(token.issuedAt / 1000),
    sub: token.agentId,
    aud: token.audience,
    iss: deps.env.API_ORIGIN,
    jti: token.tokenId,
  }
}

/** The token in the form, or null if it has expired or belongs to another client. */
async function tokenOf({ env, now }: Deps, client: ResolvedAgent, form: URLSearchParams): Promise<AgentToken | null> {
  const text = form.get('token')
  if (!text) throw new OAuthError('invalid_request', 'Missing token.')
  try {
    const audiences = resources.map((resource) => `${env.API_ORIGIN}${resource}`)
    const token = await verifyAgentToken(env, text, audiences, now())
    return token.clientId === client.clientId && token.userId === client.userId ? token : null
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return null
    throw error
  }
}

/** The scopes that the agent's group currently allows. Null if the agent was deleted, or credential or token revoked. */
async function allowedScopes(
  { env }: Deps,
  of: ResolvedAgent & { tokenId?: string },
): Promise<readonly Scope[] | null> {
  const { userId, agentId, credentialHash, tokenId } = of
  const principal: Principal = { type: 'agent', agentId, credentialHash, ...(tokenId && { tokenId }) }
  const result = await env.TREASURY.getByName(userId).policies().agentScopes(principal)
  return result.ok ? result.value : null
}

/** RFC 8707: the resource that the client requests, by default /v1. A trailing slash is ignored. */
function audienceOf(named: string[], origin: string): string {
  const known = resources.map((resource) => `${origin}${resource}`)
  const wanted = [...new Set(named.filter(Boolean).map((resource) => resource.replace(/\/$/, '')))]
  if (wanted.length === 0) return known[0]!
  const [only] = wanted
  if (wanted.length > 1 || !known.includes(only!))
    throw new OAuthError('invalid_target', `resource must be one of ${known.join(' or ')}.`)
  return only!
}

/** Null if no scope was requested. Throws `invalid_scope` for an unknown one. */
function requestedScopes(text: string | null): Scope[] | null {
  const names = (text ?? '').split(' ').filter(Boolean)
  if (names.length === 0) return null
  if (names.some((name) => !allScopes.some((scope) => scope === name)))
    throw new OAuthError('invalid_scope', `Unknown scope. The known scopes are ${allScopes.join(' ')}.`)
  return allScopes.filter((scope) => names.includes(scope))
}

/** The requested scopes (null means all) that the group allows. `payment_context:read` is always granted. */
function grantedScopes(requested: Scope[] | null, allowed: readonly Scope[]): Scope[] {
  const granted = allScopes.filter((scope) => allowed.includes(scope) && (requested?.includes(scope) ?? true))
  if (granted.length === 0)
    throw new OAuthError('invalid_scope', `The agent's policy group allows only ${allowed.join(' ')}.`)
  return allScopes.filter((scope) => granted.includes(scope) || scope === 'payment_context:read')
}
