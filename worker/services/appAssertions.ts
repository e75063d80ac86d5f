import { createLocalJWKSet, type JSONWebKeySet, errors as joseErrors, jwtVerify } from 'jose'
import { normalUri } from '#domain/sameUri.ts'
import { hourMs } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import { OAuthError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'
import type { Assertion } from '../treasury/account/connections/rpcTypes.ts'
import type { AppKeys } from './appDocuments.ts'
import { appFile, justFetched } from './appFiles.ts'

/** Apps that authenticate by `private_key_jwt` (RFC 7523, OpenID Connect Core section 9). */

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Only public keys: with a symmetric algorithm, whoever reads the document could sign. */
export const assertionAlgorithms = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
]

/** An assertion is made for one request. Most clients let it expire within five minutes. */
const maxLifeMs = hourMs
const clockToleranceSeconds = 60
const maxKeysBytes = 32_768
/** A set may have several keys that fit an assertion without `kid`. */
const maxTried = 5

/**
 * Verifies the assertion of the app `clientId`. `userId`: whose request it is. Throws `invalid_client`, and as `appFile` does if
 * the app's keys cannot be read.
 */
export async function verifyAssertion(
  deps: Pick<Deps, 'env' | 'now'>,
  form: URLSearchParams,
  app: { clientId: string; keys: AppKeys; userId: string },
): Promise<Assertion> {
  const { env, now } = deps
  if (form.get('client_assertion_type') !== assertionType)
    throw new OAuthError('invalid_client', `client_assertion_type must be ${assertionType}.`)
  const { aud, exp, jti } = await verifiedClaims(deps, form.get('client_assertion') ?? '', app)
  // Somebody to whom an assertion for two servers was sent could use it at the other one.
  const ours = [env.API_ORIGIN, `${env.API_ORIGIN}/oauth/token`]
  if ([aud ?? []].flat().some((one) => !ours.includes(normalUri(one) ?? '')))
    throw invalid(`its audience must be ${ours.join(' or ')}`)
  const expiresAt = exp! * 1000
  if (expiresAt - now() > maxLifeMs + clockToleranceSeconds * 1000) throw invalid('it is valid for more than an hour')
  const id = typeof jti === 'string' ? sha256(`${app.clientId} ${jti}`) : null
  return { id, usableUntil: expiresAt + clockToleranceSeconds * 1000 }
}

async function verifiedClaims(
  deps: Pick<Deps, 'now'>,
  assertion: string,
  app: { clientId: string; keys: AppKeys; userId: string },
) {
  const { keys, userId } = app
  if ('set' in keys) return claimsBy(deps, assertion, app.clientId, keys.set)
  const file = { url: keys.uri, maxBytes: maxKeysBytes, userId }
  const known = await appFile(deps, file)
  try {
    return await claimsBy(deps, assertion, app.clientId, known)
  } catch (error) {
    // The app may have another key since.
    const latest = await appFile(deps, file, deps.now() - justFetched)
    if (latest === known) throw error
    return claimsBy(deps, assertion, app.clientId, latest)
  }
}

async function claimsBy({ now }: Pick<Deps, 'now'>, assertion: string, clientId: string, set: unknown) {
  const options = {
    algorithms: assertionAlgorithms,
    issuer: clientId,
    subject: clientId,
    requiredClaims: ['aud', 'exp'],
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(now()),
  }
  const claims = async (key: Parameters<typeof jwtVerify>[1]) => (await jwtVerify(assertion, key, options)).payload
  try {
    return await claims(createLocalJWKSet(set as JSONWebKeySet))
  } catch (error) {
    if (!(error instanceof joseErrors.JWKSMultipleMatchingKeys)) throw refused(error)
    let last: unknown = error
    let tried = 0
    for await (const key of error) {
      try {
        return await claims(key)
      } catch (failure) {
        last = failure
      }
      if (++tried === maxTried) break
    }
    throw refused(last)
  }
}

const refused = (error: unknown) =>
  invalid(
    error instanceof joseErrors.JWTExpired
      ? 'it has expired'
      : error instanceof joseErrors.JWTClaimValidationFailed
        ? `its claim ${error.claim} is missing or wrong`
        : 'none of the app’s public keys verifies it',
  )

const invalid = (why: string) => new OAuthError('invalid_client', `The client_assertion is not valid: ${why}.`)
