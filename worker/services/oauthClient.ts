import type { Deps } from '../appEnv.ts'
import { OAuthError } from '../errors.ts'
import { type ResolvedAgent, resolveClient } from '../identity/credentials.ts'
import { attemptKey, limitAttempts } from './attemptLimits.ts'
import { requireQuota, wrongCredentials } from './quotas.ts'

const maxWrong = 20

/** The received form, with the Authorization header and the caller's network address. */
export type OAuthRequest = { form: URLSearchParams; authorization: string | undefined; address: string }

/**
 * The agent that a client id and its secret belong to. Throws the same OAuthError for an unknown client, a deleted client
 * and a wrong secret, or `rate_limited` after many wrong credentials.
 */
export async function authenticate(deps: Deps, request: OAuthRequest): Promise<ResolvedAgent> {
  const { db } = deps
  const now = deps.now()
  refuseRepeats(request.form)
  const { clientId, secret } = clientOf(request.form, request.authorization)
  requireQuota(wrongCredentials, request.address, now)
  const client = await resolveClient(db, clientId, secret, now)
  if (client) return client
  return refuseClient(deps, request, clientId)
}

/** Counts a wrong credential and throws `invalid_client`, or `rate_limited` after many of them. */
export async function refuseClient(deps: Deps, { address }: OAuthRequest, clientId: string): Promise<never> {
  const now = deps.now()
  wrongCredentials.take(address, now)
  await limitAttempts(deps.db, attemptKey('oauth', clientId, address), maxWrong, now)
  throw new OAuthError('invalid_client', 'Unknown client or wrong secret.')
}

function refuseRepeats(form: URLSearchParams) {
  for (const name of new Set(form.keys()))
    if (name !== 'resource' && form.getAll(name).length > 1)
      throw new OAuthError('invalid_request', 'A parameter is repeated.')
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
