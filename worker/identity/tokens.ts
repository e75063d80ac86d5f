import { exportJWK, importJWK, type JWK, type JWTPayload, errors as joseErrors, jwtVerify, SignJWT } from 'jose'
import { allScopes, type Scope } from '#domain/scopes.ts'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { newId } from './secrets.ts'

export const accessTokenMs = 15 * 60_000 // 15 minutes
const clockToleranceSeconds = 5

type TokenEnv = Pick<Settings, 'API_ORIGIN' | 'JWT_PRIVATE_JWK' | 'JWT_PREVIOUS_JWK'>
type Keys = { from: string; kid: string; signing: CryptoKey; verifying: Map<string, CryptoKey>; published: JWK[] }

// Imported once per isolate. Caches values, not promises, because a promise belongs to the request that created it.
let imported: Keys | null = null

async function keysOf({ JWT_PRIVATE_JWK, JWT_PREVIOUS_JWK }: TokenEnv): Promise<Keys> {
  const from = `${JWT_PRIVATE_JWK}${JWT_PREVIOUS_JWK ?? ''}`
  if (imported?.from === from) return imported
  const current = es256Key(JWT_PRIVATE_JWK)
  if (!current.d) throw new Error('JWT_PRIVATE_JWK has no private part')
  const signing = (await importJWK(current, 'ES256')) as CryptoKey
  const verifying = new Map<string, CryptoKey>()
  const published: JWK[] = []
  for (const { kid, kty, crv, x, y } of [current, ...(JWT_PREVIOUS_JWK ? [es256Key(JWT_PREVIOUS_JWK)] : [])]) {
    const key = (await importJWK({ kty, crv, x, y }, 'ES256', { extractable: true })) as CryptoKey
    verifying.set(kid, key)
    published.push({ ...(await exportJWK(key)), kid, use: 'sig', alg: 'ES256' })
  }
  imported = { from, kid: current.kid, signing, verifying, published }
  return imported
}

function es256Key(text: string) {
  const { kid, kty, crv, x, y, d } = JSON.parse(text) as Record<string, string>
  if (!kid || kty !== 'EC' || crv !== 'P-256' || !x || !y) throw new Error('a signing key must be ES256 with kid')
  return { kid, kty, crv, x, y, ...(d && { d }) }
}

/** RFC 7517. Public keys only, including the previous one while its tokens may be valid. */
export async function publicKeys(env: TokenEnv): Promise<{ keys: JWK[] }> {
  return { keys: (await keysOf(env)).published }
}

const dashboardAudience = (env: TokenEnv) => `${env.API_ORIGIN}/api`

/** `accessToken` grants access to /api for 15 minutes; `idToken` only says who signed in. `now` in ms. */
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

export type AgentToken = {
  userId: string
  agentId: string
  clientId: string
  credentialHash: string
  scopes: Scope[]
  tokenId: string
  audience: string
  /** ms */
  issuedAt: number
  expiresAt: number
}
type AgentGrant = Pick<AgentToken, 'userId' | 'agentId' | 'clientId' | 'credentialHash' | 'scopes'>

/** An RFC 9068 access token of an agent for `audience`, the API that it requested. */
export async function signAgentToken(env: TokenEnv, agent: AgentGrant, audience: string, now: number): Promise<string> {
  const { userId, agentId, clientId, credentialHash, scopes } = agent
  const claims = { client_id: clientId, uid: userId, cred: credentialHash, scope: scopes.join(' ') }
  return sign(env, 'at+jwt', audience, agentId, claims, now)
}

/** Throws `unauthenticated`. `scopes` is what the token grants; the Treasury checks what the group currently allows. */
export async function verifyAgentToken(
  env: TokenEnv,
  token: string,
  audience: string | string[],
  now: number,
): Promise<AgentToken> {
  const { sub, uid, client_id, cred, scope, jti, aud, iat, exp } = await verify(env, token, audience, now)
  if (typeof sub !== 'string' || typeof uid !== 'string' || typeof client_id !== 'string') throw invalid()
  if (typeof cred !== 'string' || typeof scope !== 'string' || typeof aud !== 'string') throw invalid()
  const granted = new Set(scope.split(' '))
  return {
    userId: uid,
    agentId: sub,
    clientId: client_id,
    credentialHash: cred,
    scopes: allScopes.filter((s) => granted.has(s)),
    tokenId: jti!,
    audience: aud,
    issuedAt: iat! * 1000,
    expiresAt: exp! * 1000,
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

async function verify(env: TokenEnv, token: string, audience: string | string[], now: number): Promise<JWTPayload> {
  const { verifying } = await keysOf(env)
  try {
    const keyFor = ({ kid }: { kid?: string }) => {
      const key = verifying.get(kid ?? '')
      if (!key) throw invalid()
      return key
    }
    const { payload } = await jwtVerify(token, keyFor, {
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
