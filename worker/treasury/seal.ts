import { hkdf } from '@noble/hashes/hkdf'
import { sha256 } from '@noble/hashes/sha2'
import { addressOf } from '../chain/sign.ts'
import type { Address, Hex } from '../chain/types.ts'

/**
 * Sealing: AES-256-GCM under a versioned key-encryption key; the additional data binds user, kind and record, so a
 * sealed value copied to another row does not open. Text form: `v1.<iv>.<ciphertext>` in base64url.
 */
export class Sealer {
  readonly #secretHex: string
  #key: Promise<CryptoKey> | null = null
  constructor(kekHex: string) {
    this.#secretHex = kekHex
  }
  #load(): Promise<CryptoKey> {
    this.#key ??= crypto.subtle.importKey('raw', bytesOf(this.#secretHex), 'AES-GCM', false, ['encrypt', 'decrypt'])
    return this.#key
  }
  async seal(plain: string, binding: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(12))
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: utf8(binding) },
      await this.#load(),
      utf8(plain),
    )
    return `v1.${base64(iv)}.${base64(new Uint8Array(sealed))}`
  }
  /** Throws when the value was tampered with or belongs to another record. */
  async open(sealed: string, binding: string): Promise<string> {
    const [version, iv, body] = sealed.split('.')
    if (version !== 'v1' || !iv || !body) throw new Error('sealed value of an unknown version')
    const plain = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: unbase64(iv), additionalData: utf8(binding) },
      await this.#load(),
      unbase64(body),
    )
    return new TextDecoder().decode(plain)
  }
}

/**
 * The keys of a payout are derived, never stored: code and link can be re-issued, and a database copy without the
 * Worker's secret moves nothing. `salt` is the user's, kept in the Treasury.
 */
export function payoutKey(
  secretHex: string,
  salt: string,
  payoutId: string,
  purpose: 'claim' | 'reclaim',
): { key: Hex; address: Address } {
  const bytes = hkdf(sha256, bytesOf(secretHex), utf8(salt), utf8(`bursar payout v1|${payoutId}|${purpose}`), 32)
  const key: Hex = `0x${hexOf(bytes)}`
  return { key, address: addressOf(key) }
}

const utf8 = (text: string) => new TextEncoder().encode(text)
export const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
export function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(digits)) throw new Error('a secret is not hexadecimal')
  return Uint8Array.from(digits.match(/../g)!, (pair) => Number.parseInt(pair, 16))
}
export const base64 = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
const unbase64 = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
