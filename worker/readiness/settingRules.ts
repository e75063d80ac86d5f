import { secp256k1 } from '@noble/curves/secp256k1'
import { hexToBytes } from '@noble/hashes/utils'
import { base64url } from 'jose'
import { storedEmail } from '#domain/email.ts'
import { parseJsonObject } from '#domain/json.ts'
import { parseLimits, parseNumbers } from '#domain/limits.ts'
import { parseContractSets } from '../chain/contractSets.ts'
import {
  type AddedVersions,
  firstVersions,
  type KeyringName,
  keyCheck,
  keyringNames,
  parseKeyrings,
  removed,
} from '../keyrings/keyring.ts'
import { smsCountries } from '../notifications/smsCountries.ts'
import type { Settings } from '../settings.ts'
import { parseStopRegions } from '../stops/regions.ts'

/** Returns the problem with a value, without repeating the value, or null if it is well formed. */
export type Rule = (value: string) => string | null

export const oneOf =
  (...allowed: string[]): Rule =>
  (value) =>
    allowed.includes(value) ? null : `must be one of ${allowed.join(', ')}`

export const hex32: Rule = (value) => (/^(?:0x)?[0-9a-fA-F]{64}$/.test(value) ? null : 'must be 32 bytes in hex')

/** Also rejects hex that is not a valid key of the curve: zero, or not below its order. */
export const privateKey: Rule = (value) =>
  hex32(value) ??
  (secp256k1.utils.isValidPrivateKey(hexToBytes(value.replace(/^0x/, '')))
    ? null
    : 'is not a valid secp256k1 private key')

/** Checks the JSON of an ES256 key with `kid`. Whether its parts match shows only when it is imported. */
export const signingKey =
  (part: 'private' | 'public'): Rule =>
  (value) => {
    const key = parseJsonObject(value)
    if (!key) return 'is not JSON'
    const isCoordinate = (text: unknown) => typeof text === 'string' && byteLength(text) === 32
    if (key.kty !== 'EC' || key.crv !== 'P-256' || !isCoordinate(key.x) || !isCoordinate(key.y))
      return 'is not an ES256 key in JWK form'
    if (typeof key.kid !== 'string' || !key.kid) return 'has no kid'
    return part === 'private' && !isCoordinate(key.d) ? 'has no private part' : null
  }

/** An origin or any URL, depending on `part`. Plain HTTP is allowed only for loopback. */
export const httpUrl =
  (part: 'origin' | 'url'): Rule =>
  (value) => {
    const url = URL.parse(value)
    if (!url) return 'is not a URL'
    const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) return 'must begin with https://'
    if (part === 'origin' && value !== url.origin) return 'must be an origin, such as https://bursar.example'
    return value.endsWith('/') ? 'must not end with a slash' : null
  }

export const rpcUrlList: Rule = (value) => {
  const urls = value.split(',').map((url) => url.trim())
  if (urls.length > 2) return 'must be one or two URLs'
  return urls.some((url) => httpUrl('url')(url.replace(/\/$/, ''))) ? 'must be one or two https:// URLs' : null
}

/** A registrable domain, or `localhost`. */
export const domain: Rule = (value) =>
  /^(?:localhost|(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})$/.test(value)
    ? null
    : 'must be a domain in lower case, such as bursar.example'

/** `{}` means that the network is not used. */
export const contracts: Rule = (value) => {
  const parsed = parseContractSets(value)
  return typeof parsed === 'string' ? parsed : null
}

export const integer =
  (least: number, most: number): Rule =>
  (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `must be a whole number from ${least} to ${most}`

const parsedBy =
  (parse: (value: string) => unknown, words: string): Rule =>
  (value) => {
    try {
      parse(value)
      return null
    } catch {
      return words
    }
  }

export const stopRegions = parsedBy(parseStopRegions, 'is not JSON that has each location hint once')
export const limits = parsedBy(parseLimits, 'is not a JSON object of known limits')

export const feeCeilings = parsedBy(
  (value) => parseNumbers(value, { baseFee: 0, priorityFee: 0 }, 'fee ceiling'),
  'is not a JSON object of baseFee and priorityFee in gwei',
)

export const countries = parsedBy(smsCountries, 'must be ISO 3166 codes such as US,DE')

export const emailAddress: Rule = (value) =>
  storedEmail(value) === value.toLowerCase() ? null : 'must be a plain email address, such as hello@bursar.example'

export const pattern =
  (expected: RegExp, words: string): Rule =>
  (value) =>
    expected.test(value) ? null : words

export const address = pattern(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')

function byteLength(text: string): number | null {
  try {
    return base64url.decode(text).length
  } catch {
    return null
  }
}

/** Version 1 of a secret, or the marker that it was removed. */
export const firstVersion: Rule = (value) => (value === removed ? null : hex32(value))

/** Checks that every added version is well formed and has the secret that was generated. */
export const keyrings: Rule = (value) => {
  let rings: AddedVersions
  try {
    rings = parseKeyrings(value)
  } catch {
    return 'is not JSON'
  }
  for (const [name, versions] of Object.entries(rings)) {
    if (!keyringNames.includes(name as KeyringName)) return `has an unknown ring ${name}`
    if (!Array.isArray(versions)) return `${name} must be a list`
    const seen = new Set<number>()
    for (const { version, secret, from, check } of versions) {
      if (!Number.isSafeInteger(version) || version < 2 || version > 9_999) return `${name} has a malformed version`
      if (seen.has(version)) return `${name} has version ${version} twice`
      seen.add(version)
      if (!Number.isSafeInteger(from) || typeof secret !== 'string' || hex32(secret))
        return `${name} version ${version} is malformed`
      if (check !== keyCheck(name as KeyringName, { version, secret }))
        return `${name} version ${version} is not the secret that was made`
    }
  }
  return null
}

/** Reports keyrings that have neither version 1 nor another version that is current. */
export function emptyRings(env: Partial<Settings>): { name: string; problem: string; fatal: boolean }[] {
  if (env.KEYRINGS && keyrings(env.KEYRINGS)) return []
  const rings = parseKeyrings(env.KEYRINGS || undefined)
  return keyringNames.flatMap((name) => {
    const first = env[firstVersions[name]]
    if (first && first !== removed) return []
    const hasOther = rings[name]?.some(({ from }) => from <= Date.now())
    return hasOther ? [] : [{ name: firstVersions[name], problem: 'is missing', fatal: true }]
  })
}
