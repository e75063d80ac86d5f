import { secp256k1 } from '@noble/curves/secp256k1'
import { hexToBytes } from '@noble/hashes/utils'
import { base64url } from 'jose'
import { parseJsonObject } from '#domain/json.ts'

/** Rejects 32 bytes of hex that are not a valid key of the curve: zero, or not below its order. */
export const privateKeyProblem = (hex: string): string | null =>
  secp256k1.utils.isValidPrivateKey(hexToBytes(hex.replace(/^0x/, ''))) ? null : 'is not a valid secp256k1 private key'

/** Checks the JSON of an ES256 key with `kid`. Whether its parts match shows only when it is imported. */
export function signingKeyProblem(text: string, part: 'private' | 'public'): string | null {
  const key = parseJsonObject(text)
  if (!key) return 'is not JSON'
  const isCoordinate = (value: unknown) => typeof value === 'string' && byteLength(value) === 32
  if (key.kty !== 'EC' || key.crv !== 'P-256' || !isCoordinate(key.x) || !isCoordinate(key.y))
    return 'is not an ES256 key in JWK form'
  if (typeof key.kid !== 'string' || !key.kid) return 'has no kid'
  return part === 'private' && !isCoordinate(key.d) ? 'has no private part' : null
}

function byteLength(text: string): number | null {
  try {
    return base64url.decode(text).length
  } catch {
    return null
  }
}
