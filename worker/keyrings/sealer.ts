import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import { base64url } from 'jose'
import type { Keyring, KeyVersion } from './keyring.ts'

/**
 * Seals values with AES-256-GCM under a versioned key-encryption key. The additional data binds user, kind and record, so a
 * sealed value copied to another row does not open. Text form: `v<version>.<iv>.<ciphertext>` in base64url.
 *
 * Callers treat the text as opaque. Every column that holds such text is listed in treasury/core/storage/sealedColumns.ts, so
 * that a rotation of the key can reseal it.
 */
export class Sealer {
  readonly #ring: Keyring
  readonly #now: () => number
  readonly #keys = new Map<number, Promise<CryptoKey>>()

  constructor(ring: Keyring, now: () => number) {
    this.#ring = ring
    this.#now = now
  }

  #load(version: number, secret: string): Promise<CryptoKey> {
    const known = this.#keys.get(version)
    if (known) return known
    const bytes = hexToBytes(secret.replace(/^0x/, ''))
    const key = crypto.subtle.importKey('raw', bytes.slice(), 'AES-GCM', false, ['encrypt', 'decrypt'])
    this.#keys.set(version, key)
    return key
  }

  seal(plain: string, binding: string): Promise<string> {
    return this.#sealUnder(this.#ring.current(this.#now()), plain, binding)
  }

  async #sealUnder({ version, secret }: KeyVersion, plain: string, binding: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(12))
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: utf8ToBytes(binding).slice() },
      await this.#load(version, secret),
      utf8ToBytes(plain).slice(),
    )
    return `v${version}.${base64url.encode(iv)}.${base64url.encode(new Uint8Array(sealed))}`
  }

  /** Throws if the value was tampered with, belongs to another record, or its version of the key was removed. */
  async open(sealed: string, binding: string): Promise<string> {
    const [, iv, body] = sealed.split('.')
    const version = sealedVersion(sealed)
    if (version === null || !iv || !body) throw new Error('sealed value of an unknown version')
    const plain = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: base64url.decode(iv).slice(), additionalData: utf8ToBytes(binding).slice() },
      await this.#load(version, this.#ring.secret(version)),
      base64url.decode(body).slice(),
    )
    return new TextDecoder().decode(plain)
  }
}

/** The key version that a value is sealed under, or null if it is not a sealed value. */
export function sealedVersion(sealed: string): number | null {
  const version = /^v([1-9]\d{0,3})\./.exec(sealed)?.[1]
  return version === undefined ? null : Number(version)
}
