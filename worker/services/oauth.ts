import type { Deps } from '../appEnv.ts'
import { allScopes, type Scope } from '../domain/scopes.ts'
import { resolveClient } from '../identity/credentials.ts'
import { accessTokenMs, signAgentToken } from '../identity/tokens.ts'
import { admitAttempt, attemptKey } from './attempts.ts'

const maxWrong = 20

/** RFC 6749 section 5.2 and RFC 8707 section 2. */
export class OAuthRefusal extends Error {
  override name = 'OAuthRefusal'
  readonly code: string
  constructor(
    code: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope' | 'invalid_target',
    description: string,
  ) {
    super(description)
    this.code = code
  }
}

export type TokenReply = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string }

/** Client credentials grant. The scope granted is a ceiling: each call is held against what the group allows then. */
export async function issueToken(
  deps: Deps,
  form: URLSearchParams,
  authorization: string | undefined,
  address: string,
): Promise<TokenReply> {
  const { env, db } = deps
  const now = deps.now()
  refuseRepeats(form)
  const { clientId, secret } = clientOf(form, authorization)
  const grant = form.get('grant_type')
  if (!grant) throw new OAuthRefusal('invalid_request', 'grant_type is missing.')
  if (grant !== 'client_credentials')
    throw new OAuthRefusal('unsupported_grant_type', 'The only grant_type here is client_credentials.')
  const client = await resolveClient(db, clientId, secret, now)
  if (!client) {
    await admitAttempt(db, attemptKey('oauth', clientId, address), maxWrong, now)
    throw new OAuthRefusal('invalid_client', 'Unknown client or wrong secret.')
  }
  const audience = audienceOf(form.getAll('resource'), env.API_ORIGIN)
  const scopes = scopesOf(form.get('scope'))
  const token = await signAgentToken(env, { ...client, scopes }, audience, now)
  return { access_token: token, token_type: 'Bearer', expires_in: accessTokenMs / 1000, scope: scopes.join(' ') }
}

function refuseRepeats(form: URLSearchParams) {
  for (const name of new Set(form.keys()))
    if (name !== 'resource' && form.getAll(name).length > 1)
      throw new OAuthRefusal('invalid_request', 'A parameter is given twice.')
}

/** Basic or body, never both. In Basic the two parts are form-urlencoded (RFC 6749 section 2.3.1). */
function clientOf(form: URLSearchParams, authorization: string | undefined): { clientId: string; secret: string } {
  const bodyId = form.get('client_id')
  const bodySecret = form.get('client_secret')
  if (authorization === undefined) {
    if (!bodyId || !bodySecret) throw new OAuthRefusal('invalid_client', 'Client id and secret are missing.')
    return { clientId: bodyId, secret: bodySecret }
  }
  const basic = /^Basic +([A-Za-z0-9+/=_-]{1,2048})$/i.exec(authorization)?.[1]
  const pair = basic === undefined ? null : decodeBasic(basic)
  if (!pair)
    throw new OAuthRefusal('invalid_client', 'The Authorization header is not Basic with a client id and secret.')
  if (bodySecret !== null || (bodyId !== null && bodyId !== pair.clientId))
    throw new OAuthRefusal('invalid_request', 'Give the client id and secret once: in the header or in the body.')
  return pair
}

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

/** RFC 8707: /v1 unless the client names a resource of ours. A trailing slash makes no difference. */
function audienceOf(resources: string[], origin: string): string {
  const known = [`${origin}/v1`, `${origin}/mcp`]
  const named = [...new Set(resources.map((resource) => resource.replace(/\/$/, '')))]
  if (named.length === 0) return known[0]!
  const [only] = named
  if (named.length > 1 || !known.includes(only!))
    throw new OAuthRefusal('invalid_target', `resource must be one of ${known.join(' or ')}.`)
  return only!
}

/** No scope asked for = all. Seeing one's own budget always comes with it. */
function scopesOf(asked: string | null): Scope[] {
  const names = (asked ?? '').split(' ').filter(Boolean)
  if (names.length === 0) return [...allScopes]
  const unknown = names.find((name) => !allScopes.some((scope) => scope === name))
  if (unknown) throw new OAuthRefusal('invalid_scope', `Known scopes: ${allScopes.join(' ')}.`)
  return allScopes.filter((scope) => names.includes(scope) || scope === 'payment_context:read')
}
