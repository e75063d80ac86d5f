import { redirectTarget, withParameters } from '#domain/redirectUri.ts'
import { allScopes, type Scope } from '#domain/scopes.ts'
import { hourMs } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import { insertRequest } from '../db/connections.ts'
import { OAuthError } from '../errors.ts'
import { newId } from '../identity/secrets.ts'
import { limitAttempts } from './attemptLimits.ts'
import { namesIn, refuseRepeats, resourceOf } from './oauth.ts'
import { clientProblem, isDocument, ownOrigins } from './oauthClients.ts'

/** Until a person opens the request; from then on, services/connections.ts decides. Enough to sign up first. */
const unopenedMs = hourMs
const maxState = 2_000

/**
 * GET /oauth/authorize (OAuth 2.1 section 4.1.1): stores the request and returns the address of the consent page. Throws an
 * OAuthError for the person to read. A problem with the request of a registered program on the person's computer is reported to
 * the program, as the address to redirect to: websites get no redirect before a person has decided (RFC 9700 section 4.11.2), and a
 * client whose website says who it is cannot be verified before somebody has signed in.
 */
export async function authorize(deps: Deps, query: URLSearchParams, address: string): Promise<string> {
  const { env, db } = deps
  const now = deps.now()
  refuseRepeats(query)
  const clientId = query.get('client_id') ?? ''
  const redirectUri = query.get('redirect_uri') ?? ''
  if (clientId === '') throw new OAuthError('invalid_request', 'Missing client_id.')
  const problem = await clientProblem(deps, clientId, redirectUri)
  if (problem) throw problem
  await limitAttempts(deps, 'authorize', address)
  const state = query.get('state')
  if (state !== null && (state.length > maxState || !/^[\x20-\x7e]*$/.test(state)))
    throw new OAuthError('invalid_request', `state must be at most ${maxState} printable ASCII characters.`)
  const asked = askedIn(query, env.API_ORIGIN)
  if (asked instanceof OAuthError) {
    // Anybody may register an app: Bursar's address must not lead to any website without a person's decision.
    if (isDocument(clientId) || redirectTarget(redirectUri, ownOrigins(env))?.type === 'website') throw asked
    const { oauthCode: error, message: error_description } = asked
    return withParameters(redirectUri, { error, error_description, state, iss: env.API_ORIGIN })
  }
  const id = newId('request')
  await insertRequest(db, {
    ...{ id, clientId, redirectUri, state, ...asked },
    ...{ createdAt: now, expiresAt: now + unopenedMs },
  })
  return `${env.APP_ORIGIN}/dashboard/connect?request=${id}`
}

type Asked = { codeChallenge: string; resource: string; scope: string | null }

function askedIn(query: URLSearchParams, origin: string): Asked | OAuthError {
  const responseType = query.get('response_type')
  if (!responseType) return new OAuthError('invalid_request', 'Missing response_type.')
  if (responseType !== 'code')
    return new OAuthError('unsupported_response_type', 'The only supported response_type is code.')
  if (query.has('request')) return new OAuthError('request_not_supported', 'Request objects are not supported.')
  if (query.has('request_uri')) return new OAuthError('request_uri_not_supported', 'Request URIs are not supported.')
  if ((query.get('response_mode') ?? 'query') !== 'query')
    return new OAuthError('invalid_request', 'The only supported response_mode is query.')
  if ((query.get('prompt') ?? '').split(' ').includes('none'))
    return new OAuthError('login_required', 'A person has to decide every time.')
  const codeChallenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))
    return new OAuthError('invalid_request', 'A code_challenge with code_challenge_method S256 is required (PKCE).')
  const scope = knownScopes(query.get('scope'))
  if (scope?.length === 0)
    return new OAuthError('invalid_scope', `Unknown scope. The known scopes are ${allScopes.join(' ')}.`)
  try {
    const resource = resourceOf(query.getAll('resource'), origin) ?? `${origin}/mcp`
    return { codeChallenge, resource, scope: scope?.join(' ') ?? null }
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
}

/** Null if none was requested. Apps also request scopes of other servers, which mean nothing here. */
export function knownScopes(text: string | null): Scope[] | null {
  const names = namesIn(text)
  return names.length === 0 ? null : allScopes.filter((scope) => names.includes(scope))
}
