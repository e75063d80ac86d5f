import type { Deps } from '../appEnv.ts'
import { type ResolvedAgent, resolveClient } from '../identity/credentials.ts'
import { admitAttempt, attemptKey } from './attempts.ts'
import { refuseSpent, wrongCredentials } from './quotas.ts'

const maxWrong = 20

/** RFC 6749 section 5.2 and RFC 8707 section 2. */
export class OAuthRefusal extends Error {
  override name = 'OAuthRefusal'
  readonly code: string
  constructor(
    code:
      | 'invalid_request'
      | 'invalid_client'
      | 'unauthorized_client'
      | 'unsupported_grant_type'
      | 'unsupported_response_type'
      | 'invalid_scope'
      | 'invalid_target',
    description: string,
  ) {
    super(description)
    this.code = code
  }
}

/** A form as it came, with the Authorization header and the caller's network address. */
export type OAuthRequest = { form: URLSearchParams; authorization: string | undefined; address: string }

/**
 * The agent behind a client id and its secret. A client that is gone, one that never was and a wrong secret look the
 * same. Throws OAuthRefusal, or `rate_limited` after many wrong ones.
 */
export async function authenticate(deps: Deps, request: OAuthRequest): Promise<ResolvedAgent> {
  const { db } = deps
  const now = deps.now()
  refuseRepeats(request.form)
  const { clientId, secret } = clientOf(request.form, request.authorization)
  refuseSpent(wrongCredentials, request.address, now)
  const client = await resolveClient(db, clientId, secret, now)
  if (client) return client
  return refuseClient(deps, request, clientId)
}

export async function refuseClient(deps: Deps, { address }: OAuthRequest, clientId: string): Promise<never> {
  const now = deps.now()
  wrongCredentials.take(address, now)
  await admitAttempt(deps.db, attemptKey('oauth', clientId, address), maxWrong, now)
  throw new OAuthRefusal('invalid_client', 'Unknown client or wrong secret.')
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
  const assertion = form.get('client_assertion')
  if (assertion && (authorization !== undefined || bodySecret)) throw twice()
  if (authorization === undefined) {
    if (!bodyId || !bodySecret) throw new OAuthRefusal('invalid_client', 'Client id and secret are missing.')
    return { clientId: bodyId, secret: bodySecret }
  }
  const basic = /^Basic +([A-Za-z0-9+/=_-]{1,2048})$/i.exec(authorization)?.[1]
  const pair = basic === undefined ? null : decodeBasic(basic)
  if (!pair)
    throw new OAuthRefusal('invalid_client', 'The Authorization header is not Basic with a client id and secret.')
  if (bodySecret || (bodyId && bodyId !== pair.clientId)) throw twice()
  return pair
}

const twice = () =>
  new OAuthRefusal('invalid_request', 'Give the client id and secret once: in the header or in the body.')

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
