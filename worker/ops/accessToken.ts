import { createLocalJWKSet, type JSONWebKeySet, errors as joseErrors, jwtVerify } from 'jose'
import type { Settings } from '../settings.ts'

type AccessSettings = Pick<Settings, 'ACCESS_TEAM_ORIGIN' | 'ACCESS_AUDIENCE'>

const timeoutMs = 5_000 // 5 seconds
const freshMs = 10 * 60_000 // 10 minutes
/** An unknown key id causes a refresh of the keys at most this often. */
const pauseMs = 30_000 // 30 seconds

/** Keys of one team, as last read by this isolate. Holds values, not promises: a promise belongs to its request. */
let read: { origin: string; at: number; keys: JSONWebKeySet } | null = null

/**
 * The identity in a Cloudflare Access token: an email address, or `service:` and the client id of a service token. Null if
 * the token is not signed by the team for our application, has expired, or Access is not set up. Access checks tokens too,
 * but it guards only one hostname and the Worker has others. `now` in ms. Throws if the team's keys cannot be read.
 */
export async function operatorOf(env: AccessSettings, token: string, now: number): Promise<string | null> {
  const { ACCESS_TEAM_ORIGIN: issuer, ACCESS_AUDIENCE: audience } = env
  if (!issuer || !audience) return null
  const verify = async (keys: JSONWebKeySet) =>
    jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience,
      algorithms: ['RS256'],
      currentDate: new Date(now),
      requiredClaims: ['exp', 'iat'],
    })
  try {
    const known = await keysOf(issuer, now, freshMs)
    const { payload } = await verify(known).catch(async (error: unknown) => {
      if (!(error instanceof joseErrors.JWKSNoMatchingKey)) throw error
      return verify(await keysOf(issuer, now, pauseMs))
    })
    if (typeof payload.email === 'string' && payload.email) return payload.email
    return typeof payload.common_name === 'string' && payload.common_name ? `service:${payload.common_name}` : null
  } catch (error) {
    if (error instanceof joseErrors.JOSEError) return null
    throw error
  }
}

async function keysOf(origin: string, now: number, maxAgeMs: number): Promise<JSONWebKeySet> {
  if (read?.origin === origin && now - read.at < maxAgeMs) return read.keys
  const response = await fetch(`${origin}/cdn-cgi/access/certs`, { signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`reading the keys of Access returned ${response.status}`)
  const keys = (await response.json()) as JSONWebKeySet
  read = { origin, at: now, keys }
  return keys
}
