import { exportJWK, importJWK, type JWK, type JWTPayload, errors as joseErrors, jwtVerify, SignJWT } from 'jose'
import { allScopes, type Scope } from '../domain/scopes.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { newId } from './secrets.ts'

export const accessTokenMs = 15 * 60_000 // 15 minutes
const clockToleranceSeconds = 5

type TokenEnv = Pick<Env, 'API_ORIGIN' | 'JWT_PRIVATE_JWK'>
type Keys = { jwk: string; kid: string; signing: CryptoKey; verifying: CryptoKey; published: JWK }

// Imported once per isolate. The value, not the promise: a promise belongs to the request that made it.
let imported: Keys | null = null

async function keysOf(env: TokenEnv): Promise<Keys> {
  if (imported?.jwk === env.JWT_PRIVATE_JWK) return imported
  const { kid, kty, crv, x, y, d } = JSON.parse(env.JWT_PRIVATE_JWK) as Record<string, string>
  if (!kid || kty !== 'EC' || crv !== 'P-256' || !x || !y || !d)
    throw new Error('JWT_PRIVATE_JWK must be an ES256 key with kid')
  const signing = (await importJWK({ kty, crv, x, y, d }, 'ES256')) as CryptoKey
  const verifying = (await importJWK({ kty, crv, x, y }, 'ES256', { extractable: true })) as CryptoKey
  const published = { ...(await exportJWK(verifying)), kid, use: 'sig', alg: 'ES256' }
  imported = { jwk: env.JWT_PRIVATE_JWK, kid, signing, verifying, published }
  return imported
}

/** RFC 7517: the public key alone. */
export async function publicKeys(env: TokenEnv): Promise<{ keys: JWK[] }> {
  return { keys: [(await keysOf(env)).published] }
}

const dashboardAudience = (env: TokenEnv) => `${env.API_ORIGIN}/api`

/** `accessToken` opens /api for 15 minutes, `idToken` only says who signed in. `now` in ms. */
export async function signUserTokens(
  env: TokenEnv,
  user: { id: string; email: string; name: string | null },
  sessionId: string,
  now: number,
): Promise<{ accessToken: string; idToken: string; expiresIn: number }> {
  const accessToken = await sign(env, 'at+jwt', dashboardAudience(env), user.id, { sid: sessionId }, now)
  const claims = { email: user.email, ...(user.name ? { name: user.name } : {}) }
  const idToken = await sign(env, 'JWT', 'bursar-web', user.id, claims, now)
  return { accessToken, idToken, expiresIn: accessTokenMs / 1000 }
}

/** Throws `unauthenticated`. */
export async function verifyUserToken(
  env: TokenEnv,
  token: string,
  now: number,
): Promise<{ userId: string; sessionId: string }> {
  const { sub, sid } = await verify(env, token, dashboardAudience(env), now)
  if (typeof sub !== 'string' || typeof sid !== 'string') throw invalid()
  return { userId: sub, sessionId: sid }
}

export type AgentToken = { userId: string; agentId: string; clientId: string; credentialHash: string; scopes: Scope[] }

/** RFC 9068 access token of an agent for `audience` (the API it asked for). */
export async function signAgentToken(env: TokenEnv, agent: AgentToken, audience: string, now: number): Promise<string> {
  const { userId, agentId, clientId, credentialHash, scopes } = agent
  const claims = { client_id: clientId, uid: userId, cred: credentialHash, scope: scopes.join(' ') }
  return sign(env, 'at+jwt', audience, agentId, claims, now)
}

/** Throws `unauthenticated`. The scopes are what was asked for; what the group allows now is the Treasury's to say. */
export async function verifyAgentToken(
  env: TokenEnv,
  token: string,
  audience: string,
  now: number,
): Promise<AgentToken> {
  const { sub, uid, client_id, cred, scope } = await verify(env, token, audience, now)
  if (typeof sub !== 'string' || typeof uid !== 'string' || typeof client_id !== 'string') throw invalid()
  if (typeof cred !== 'string' || typeof scope !== 'string') throw invalid()
  const asked = new Set(scope.split(' '))
  return {
    userId: uid,
    agentId: sub,
    clientId: client_id,
    credentialHash: cred,
    scopes: allScopes.filter((s) => asked.has(s)),
  }
}

async function sign(env: TokenEnv, typ: string, audience: string, subject: string, claims: JWTPayload, now: number) {
  const { kid, signing } = await keysOf(env)
  const seconds = Math.floor(now / 1000)
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid, typ })
    .setIssuer(env.API_ORIGIN)
    .setAudience(audience)
    .setSubject(subject)
    .setJti(newId('jwt'))
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + accessTokenMs / 1000)
    .sign(signing)
}

async function verify(env: TokenEnv, token: string, audience: string, now: number): Promise<JWTPayload> {
  const { verifying } = await keysOf(env)
  try {
    const { payload } = await jwtVerify(token, verifying, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer: env.API_ORIGIN,
      audience,
      requiredClaims: ['exp', 'iat', 'jti'],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(now),
    })
    return payload
  } catch (error) {
    if (error instanceof joseErrors.JWTExpired)
      throw new AppError('unauthenticated', 'Your session has expired. Please sign in again.')
    throw invalid()
  }
}

const invalid = () => new AppError('unauthenticated', 'This session token is not valid. Please sign in again.')
