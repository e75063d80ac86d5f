/** Tokens as Cloudflare Access signs them. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export async function newKeys(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
}
export type AccessKeys = Pick<Awaited<ReturnType<typeof newKeys>>, 'kid' | 'privateKey'>

/** Valid for an hour from `now` (ms). Claims replace the ordinary ones; undefined removes one. */
export function signAccessToken(
  keys: AccessKeys,
  { issuer, audience, now }: { issuer: string; audience: string; now: number },
  claims: JWTPayload,
): Promise<string> {
  const seconds = Math.floor(now / 1000)
  const payload = { iss: issuer, aud: [audience], iat: seconds, exp: seconds + 3_600, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: keys.kid }).sign(keys.privateKey)
}
