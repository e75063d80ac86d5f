import { createHmac, timingSafeEqual } from 'node:crypto'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import { type KeyringSettings, keyring } from '../keyrings/keyring.ts'

type IdCodec = {
  /** Throws RangeError if tokens of this kind cannot name the object. */
  toBytes(id: string): Uint8Array
  /** Null if no id has these bytes. */
  fromBytes(bytes: Uint8Array): string | null
}

/** `agt_…/<user id>`: 16 bytes of hex after the prefix, then one that says whether the user's id is 16 bytes of hex or text. */
const idsOfUser = (prefix: string): IdCodec => ({
  toBytes(name) {
    const [, id, userId] = new RegExp(`^${prefix}([0-9a-f]{32})/(.+)$`, 's').exec(name) ?? []
    if (!id || !userId) throw new RangeError(`not an id of this kind and its user: ${name}`)
    const user = /^user_([0-9a-f]{32})$/.exec(userId)?.[1]
    return Buffer.concat([hexToBytes(id), Uint8Array.of(user ? 1 : 0), user ? hexToBytes(user) : utf8ToBytes(userId)])
  },
  fromBytes(bytes) {
    if (bytes.length < 18) return null
    const user = bytes.subarray(17)
    const userId = bytes[16] === 1 ? `user_${bytesToHex(user)}` : Buffer.from(user).toString()
    return `${prefix}${bytesToHex(bytes.subarray(0, 16))}/${userId}`
  },
})
const agents = idsOfUser('agt_')
const connections = idsOfUser('con_')
const members = idsOfUser('mem_')

/** Ids that a Treasury makes (`newId` in treasury/core/context.ts): the time in 6 bytes, then 10 random ones. */
const idsWithTime = (prefix: string): IdCodec => ({
  toBytes(id) {
    const [, time, random] = new RegExp(`^${prefix}([0-9a-z]{9})([0-9a-f]{20})$`).exec(id) ?? []
    if (!time || !random) throw new RangeError(`not an id of this kind: ${id}`)
    const bytes = Buffer.alloc(16)
    bytes.writeUIntBE(Number.parseInt(time, 36), 0, 6)
    bytes.set(hexToBytes(random), 6)
    return bytes
  },
  fromBytes(bytes) {
    if (bytes.length !== 16) return null
    const time = Buffer.from(bytes).readUIntBE(0, 6).toString(36).padStart(9, '0')
    return `${prefix}${time}${bytesToHex(bytes.subarray(6))}`
  },
})

/** `request_…`, as `newId` in identity/secrets.ts makes them. */
const requests: IdCodec = {
  toBytes(id) {
    const hex = /^request_([0-9a-f]{32})$/.exec(id)?.[1]
    if (!hex) throw new RangeError(`not an id of this kind: ${id}`)
    return hexToBytes(hex)
  },
  fromBytes: (bytes) => (bytes.length === 16 ? `request_${bytesToHex(bytes)}` : null),
}

/**
 * Tokens that name the object which knows them, so that no index has to be asked: a call is addressed by the token alone.
 * The HMAC says that we issued the token, and is checked before any object is addressed, so that nobody can wake or create
 * objects with invented tokens. It is short, because it is no proof of anything else: the object compares the hash of the
 * whole token with the one it stored, and replies as to an unknown token if they differ. Only that of a refresh token is
 * long: an app that gives one back ends its connection, also if the object has forgotten that token.
 *
 * Text form: a prefix, and in base64url one byte for the version of ID_SECRET, the HMAC, the secret, and the object's id.
 */
const kinds = {
  /** 52 characters, which fit in a text message with the rest of the link. Names the payout. */
  claim_link: { prefix: '', secretBytes: 16, ...idsWithTime('pay_') },
  /** Names the user and the agent. */
  api_key: { prefix: 'bk_', secretBytes: 32, ...agents },
  /** The same, without a secret: OAuth clients send one next to it. */
  client_id: { prefix: 'bc_', secretBytes: 0, ...agents },
  /** An authorization code, and a refresh token. Both name the user and the connection. */
  code: { prefix: 'bo_', secretBytes: 32, ...connections },
  refresh_token: { prefix: 'br_', secretBytes: 32, ...connections },
  /** In the link of an invitation. Names the account and the person who is invited. */
  invitation: { prefix: 'bi_', secretBytes: 16, ...members },
  /** Names the request in D1, which is not read for an invented code. */
  device_code: { prefix: 'bd_', secretBytes: 32, ...requests },
} as const
export type TokenKind = keyof typeof kinds

const hmacBytesOf = (kind: TokenKind) => (kind === 'refresh_token' ? 16 : 6)

/** Creates a token. `random` returns that many random bytes; `now` in ms. Throws RangeError for an id of another kind. */
export function newObjectToken(
  env: KeyringSettings,
  kind: TokenKind,
  id: string,
  random: (length: number) => Uint8Array,
  now: number,
): string {
  const { prefix, secretBytes, toBytes } = kinds[kind]
  const { version, secret } = keyring(env, 'ID_SECRET').current(now)
  if (version > 255) throw new RangeError('one byte holds the version of ID_SECRET')
  const named = Buffer.concat([random(secretBytes), toBytes(id)])
  return `${prefix}${Buffer.concat([Uint8Array.of(version), hmacOf(secret, kind, named), named]).toString('base64url')}`
}

/** The id of the object that a token names. Null for any text that we did not issue as this kind of token. */
export function objectOfToken(env: KeyringSettings, kind: TokenKind, token: string): string | null {
  const { prefix, secretBytes, fromBytes } = kinds[kind]
  const text = token.slice(prefix.length)
  const bytes = Buffer.from(text, 'base64url')
  const hmacEnd = 1 + hmacBytesOf(kind)
  // Decoding ignores what is not base64url, so that several texts would be one token.
  if (!token.startsWith(prefix) || bytes.toString('base64url') !== text) return null
  const named = bytes.subarray(hmacEnd)
  const known = keyring(env, 'ID_SECRET').versions.find(({ version }) => version === bytes[0])
  if (!known || named.length <= secretBytes) return null
  const isOurs = timingSafeEqual(bytes.subarray(1, hmacEnd), hmacOf(known.secret, kind, named))
  return isOurs ? fromBytes(named.subarray(secretBytes)) : null
}

const hmacOf = (secretHex: string, kind: TokenKind, named: Uint8Array): Uint8Array =>
  createHmac('sha256', Buffer.from(secretHex, 'hex'))
    .update(`${kind}|`)
    .update(named)
    .digest()
    .subarray(0, hmacBytesOf(kind))
