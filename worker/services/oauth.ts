import { normalUri } from '#domain/sameUri.ts'
import { allScopes, grantedScopes, type Scope } from '#domain/scopes.ts'
import type { Deps } from '../appEnv.ts'
import { AppError, OAuthError } from '../errors.ts'
import { agentOfClient, type ClaimedAgent } from '../identity/credentials.ts'
import { type AgentToken, accessTokenMs, publicKeys, signAgentToken, verifyAgentToken } from '../identity/tokens.ts'
import type { Principal } from '../treasury/core/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { assertionAlgorithms } from './appAssertions.ts'
import { consumeQuota, requireQuota, tokenRequests, wrongCredentials, wrongSecrets } from './quotas.ts'

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
  const client = await claimedClient(deps, request)
  const { form } = request
  const grant = form.get('grant_type')
  if (!grant) throw new OAuthError('invalid_request', 'Missing grant_type.')
  if (grant !== 'client_credentials')
    throw new OAuthError('unsupported_grant_type', `The supported values of grant_type are ${grantTypes.join(', ')}.`)
  const audience = resourceOf(form.getAll('resource'), env.API_ORIGIN) ?? `${env.API_ORIGIN}/v1`
  const requested = requestedScopes(form.get('scope'))
  const allowed = await treasuryOf(env, client.userId).policies().agentScopes(principalOf(client))
  if (!allowed.ok) return refuseClient(deps, request, client.clientId)
  // Only counted for the client itself, so that nobody else can use it up.
  consumeQuota(tokenRequests, client.clientId, now)
  if (requested && !requested.some((scope) => allowed.value.includes(scope)))
    throw new OAuthError('invalid_scope', `The agent's policy group allows only ${allowed.value.join(' ')}.`)
  const scopes = grantedScopes(requested, allowed.value)
  const token = await signAgentToken(env, { ...client, scopes }, audience, now)
  return { access_token: token, token_type: 'Bearer', expires_in: accessTokenMs / 1000, scope: scopes.join(' ') }
}

/** RFC 7009: revokes the client's own token immediately. Has no effect on other tokens, but still succeeds. */
export async function revokeToken(deps: Deps, request: OAuthRequest): Promise<void> {
  const client = await claimedClient(deps, request)
  const token = await tokenOf(deps, client, request.form)
  const ends = token && { id: token.tokenId, endsAt: token.expiresAt }
  const revoked = await treasuryOf(deps.env, client.userId).policies().revokeToken(principalOf(client), ends)
  if (!revoked.ok) refuseClient(deps, request, client.clientId)
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
  const client = await claimedClient(deps, request)
  const token = await tokenOf(deps, client, request.form)
  const found = await treasuryOf(deps.env, client.userId)
    .policies()
    .tokenScopes(principalOf(client), token && principalOf(token))
  if (!found.ok) return refuseClient(deps, request, client.clientId)
  const allowed = found.value
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
async function tokenOf({ env, now }: Deps, client: Client, form: URLSearchParams): Promise<AgentToken | null> {
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

export const principalOf = ({ agentId, credentialHash, tokenId }: ClaimedAgent & { tokenId?: string }): Principal => ({
  type: 'agent',
  agentId,
  credentialHash,
  via: 'api',
  ...(tokenId && { tokenId }),
})

/**
 * RFC 8707: the resource that the client requests, however it spells it. Null if it names none, or only this server, which has
 * several.
 */
export function resourceOf(named: string[], origin: string): string | null {
  const known = resources.map((resource) => `${origin}${resource}`)
  const wanted = new Set(named.filter(Boolean).map((resource) => normalUri(resource) ?? resource))
  wanted.delete(origin)
  const [only, ...others] = wanted
  if (only === undefined) return null
  if (others.length > 0 || !known.includes(only))
    throw new OAuthError('invalid_target', `resource must be one of ${known.join(' or ')}.`)
  return only
}

/** Scopes of OpenID Connect, which many clients request of every server. They mean nothing here. */
const openIdScopes = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access'])

/** The names in a scope parameter, without those of OpenID Connect. */
export const namesIn = (text: string | null): string[] =>
  (text ?? '').split(' ').filter((name) => name !== '' && !openIdScopes.has(name))

/** Null if no scope was requested. Throws `invalid_scope` for an unknown one. */
function requestedScopes(text: string | null): Scope[] | null {
  const names = namesIn(text)
  if (names.length === 0) return null
  if (names.some((name) => !allScopes.some((scope) => scope === name)))
    throw new OAuthError('invalid_scope', `Unknown scope. The known scopes are ${allScopes.join(' ')}.`)
  return allScopes.filter((scope) => names.includes(scope))
}

/** The received form, with the Authorization header and the caller's network address. */
export type OAuthRequest = { form: URLSearchParams; authorization: string | undefined; address: string }

type Client = ClaimedAgent & { clientId: string }

/**
 * The agent that a client id names. Its Treasury decides with the same call whether the secret is valid. Throws the same
 * OAuthError for a client id that we did not issue as `refuseClient` for a deleted client and a wrong secret. The network
 * address's limit applies to the former only: many clients may share an address with one that guesses.
 */
async function claimedClient(deps: Deps, request: OAuthRequest): Promise<Client> {
  refuseRepeats(request.form)
  const { clientId, secret } = clientOf(request.form, request.authorization)
  const claimed = agentOfClient(deps.env, clientId, secret)
  if (!claimed) {
    consumeQuota(wrongCredentials, request.address, deps.now())
    throw invalidClient()
  }
  requireQuota(wrongSecrets, secretsKey(request, clientId), deps.now())
  return { ...claimed, clientId }
}

/** Counts a wrong secret of this client and throws `invalid_client`, or `rate_limited` after many of them. */
function refuseClient(deps: Deps, request: OAuthRequest, clientId: string): never {
  consumeQuota(wrongSecrets, secretsKey(request, clientId), deps.now())
  throw invalidClient()
}

const secretsKey = ({ address }: OAuthRequest, clientId: string) => `${clientId} ${address}`
const invalidClient = () => new OAuthError('invalid_client', 'Unknown client or wrong secret.')

/** More than any request of the standards that we implement has. */
const maxParameters = 50

/** Refuses repeated parameters (RFC 6749 section 3.2) in one pass: strangers send them, and any number of names. */
export function refuseRepeats(form: URLSearchParams): void {
  const seen = new Set<string>()
  let parameters = 0
  for (const [name] of form) {
    parameters += 1
    if (parameters > maxParameters)
      throw new OAuthError('invalid_request', `A request has at most ${maxParameters} parameters.`)
    if (name !== 'resource' && seen.has(name)) throw new OAuthError('invalid_request', 'A parameter is repeated.')
    seen.add(name)
  }
}

/** Reads the Basic header or the body, never both. Basic parts are form-urlencoded (RFC 6749 section 2.3.1). */
function clientOf(form: URLSearchParams, authorization: string | undefined): { clientId: string; secret: string } {
  const bodyId = form.get('client_id')
  const bodySecret = form.get('client_secret')
  const assertion = form.get('client_assertion')
  if (assertion && (authorization !== undefined || bodySecret)) throw repeatedCredentials()
  if (authorization === undefined) {
    if (!bodyId || !bodySecret) throw new OAuthError('invalid_client', 'Missing client id or secret.')
    return { clientId: bodyId, secret: bodySecret }
  }
  const basic = /^Basic +([A-Za-z0-9+/=_-]{1,2048})$/i.exec(authorization)?.[1]
  const pair = basic === undefined ? null : decodeBasic(basic)
  if (!pair)
    throw new OAuthError('invalid_client', 'The Authorization header must be Basic with a client id and secret.')
  if (bodySecret || (bodyId && bodyId !== pair.clientId)) throw repeatedCredentials()
  return pair
}

const repeatedCredentials = () =>
  new OAuthError('invalid_request', 'Send the client id and secret once, in the header or in the body.')

function decodeBasic(encoded: string): { clientId: string; secret: string } | null {
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return null
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '))
    return { clientId: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) }
  } catch {
    return null
  }
}

/** RFC 9728: the authorization server that issues tokens for a resource. Clients request the scopes that are listed here. */
export const protectedResource = (origin: string, resource: (typeof resources)[number]) => ({
  resource: `${origin}${resource}`,
  authorization_servers: [origin],
  bearer_methods_supported: ['header'],
  scopes_supported: allScopes,
  resource_name: 'Bursar',
  resource_documentation: `${origin}/docs`,
})

const clientAuthentication = ['client_secret_basic', 'client_secret_post']
const appAuthentication = ['none', 'private_key_jwt']

/** The grant of a device that shows a code (RFC 8628). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
export const appGrants = ['authorization_code', 'refresh_token', deviceGrant] as const
const grantTypes = ['client_credentials', ...appGrants]

/** RFC 8414. Agents authenticate with a secret; apps that a person connects have none, or authenticate with their keys. */
export const authorizationServer = (origin: string) => ({
  issuer: origin,
  token_endpoint: `${origin}/oauth/token`,
  token_endpoint_auth_methods_supported: [...clientAuthentication, ...appAuthentication],
  token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  authorization_endpoint: `${origin}/oauth/authorize`,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  registration_endpoint: `${origin}/oauth/register`,
  device_authorization_endpoint: `${origin}/oauth/device`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: grantTypes,
  scopes_supported: allScopes,
  jwks_uri: `${origin}/.well-known/jwks.json`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  revocation_endpoint_auth_methods_supported: [...clientAuthentication, ...appAuthentication],
  revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  introspection_endpoint: `${origin}/oauth/introspect`,
  introspection_endpoint_auth_methods_supported: clientAuthentication,
  service_documentation: `${origin}/docs`,
})

/** RFC 7517: the public keys that verify our tokens. */
export const jsonWebKeySet = ({ env }: Pick<Deps, 'env'>) => publicKeys(env)
