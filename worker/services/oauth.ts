import type { Deps } from '../appEnv.ts'
import { allScopes, type Scope } from '../domain/scopes.ts'
import { AppError } from '../errors.ts'
import type { ResolvedAgent } from '../identity/credentials.ts'
import { type AgentToken, accessTokenMs, signAgentToken, verifyAgentToken } from '../identity/tokens.ts'
import type { Principal } from '../treasury/types.ts'
import { authenticate, OAuthRefusal, type OAuthRequest, refuseClient } from './oauthClient.ts'
import { admit, tokenRequests } from './quotas.ts'

/** What tokens are for, each with a document of its own (RFC 9728). */
export const resources = ['/v1', '/mcp'] as const

export type TokenReply = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string }

/**
 * Client credentials grant. The scope granted is what the group allows now and a ceiling from then on: each call is held
 * against what the group allows at that moment.
 */
export async function issueToken(deps: Deps, request: OAuthRequest): Promise<TokenReply> {
  const { env } = deps
  const now = deps.now()
  const client = await authenticate(deps, request)
  const { form } = request
  const grant = form.get('grant_type')
  if (!grant) throw new OAuthRefusal('invalid_request', 'grant_type is missing.')
  if (grant !== 'client_credentials')
    throw new OAuthRefusal('unsupported_grant_type', 'The only grant_type here is client_credentials.')
  const audience = audienceOf(form.getAll('resource'), env.API_ORIGIN)
  const asked = namedScopes(form.get('scope'))
  admit(tokenRequests, client.clientId, now)
  const allowed = await allowedScopes(deps, client)
  if (!allowed) return refuseClient(deps, request, client.clientId)
  const scopes = grantedScopes(asked, allowed)
  const token = await signAgentToken(env, { ...client, scopes }, audience, now)
  return { access_token: token, token_type: 'Bearer', expires_in: accessTokenMs / 1000, scope: scopes.join(' ') }
}

/** RFC 7009: the client's own token ends at once. Anything else is none of its business, and already over for it. */
export async function revokeToken(deps: Deps, request: OAuthRequest): Promise<void> {
  const client = await authenticate(deps, request)
  const token = await tokenOf(deps, client, request.form)
  if (token) await deps.env.TREASURY.getByName(client.userId).revokeToken(token.tokenId, token.expiresAt)
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

/** RFC 7662, for the client's own tokens. `scope` is what the token opens now, not what it was issued with. */
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

/** The token of the form if it is this client's and has not run out, else null. */
async function tokenOf({ env, now }: Deps, client: ResolvedAgent, form: URLSearchParams): Promise<AgentToken | null> {
  const text = form.get('token')
  if (!text) throw new OAuthRefusal('invalid_request', 'token is missing.')
  try {
    const audiences = resources.map((resource) => `${env.API_ORIGIN}${resource}`)
    const token = await verifyAgentToken(env, text, audiences, now())
    return token.clientId === client.clientId && token.userId === client.userId ? token : null
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return null
    throw error
  }
}

/** What the agent's group allows now; null when the Treasury knows nothing of this agent, credential or token any more. */
async function allowedScopes(
  { env }: Deps,
  of: ResolvedAgent & { tokenId?: string },
): Promise<readonly Scope[] | null> {
  const { userId, agentId, credentialHash, tokenId } = of
  const principal: Principal = { type: 'agent', agentId, credentialHash, ...(tokenId && { tokenId }) }
  const result = await env.TREASURY.getByName(userId).agentScopes(principal)
  return result.ok ? result.value : null
}

/** RFC 8707: /v1 unless the client names a resource of ours. A trailing slash makes no difference. */
function audienceOf(named: string[], origin: string): string {
  const known = resources.map((resource) => `${origin}${resource}`)
  const wanted = [...new Set(named.filter(Boolean).map((resource) => resource.replace(/\/$/, '')))]
  if (wanted.length === 0) return known[0]!
  const [only] = wanted
  if (wanted.length > 1 || !known.includes(only!))
    throw new OAuthRefusal('invalid_target', `resource must be one of ${known.join(' or ')}.`)
  return only!
}

/** Null = none named. Throws for one that does not exist. */
function namedScopes(text: string | null): Scope[] | null {
  const names = (text ?? '').split(' ').filter(Boolean)
  if (names.length === 0) return null
  if (names.some((name) => !allScopes.some((scope) => scope === name)))
    throw new OAuthRefusal('invalid_scope', `Known scopes: ${allScopes.join(' ')}.`)
  return allScopes.filter((scope) => names.includes(scope))
}

/** None named = all the group allows. Of those named, what it allows; seeing one's own budget always comes with it. */
function grantedScopes(asked: Scope[] | null, allowed: readonly Scope[]): Scope[] {
  const granted = allScopes.filter((scope) => allowed.includes(scope) && (asked?.includes(scope) ?? true))
  if (granted.length === 0)
    throw new OAuthRefusal('invalid_scope', `The policy group of this agent allows ${allowed.join(' ')}.`)
  return allScopes.filter((scope) => granted.includes(scope) || scope === 'payment_context:read')
}
