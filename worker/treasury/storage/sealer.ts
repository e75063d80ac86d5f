import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import { base64url } from 'jose'

/**
 * Sealing: AES-256-GCM under a versioned key-encryption key. The additional data binds user, kind and record, so a
 * sealed value copied to another row does not open. Text form: `v1.<iv>.<ciphertext>` in base64url.
 */
export class Sealer {
  readonly #kekHex: string
  #key: Promise<CryptoKey> | null = null

  constructor(kekHex: string) {
    this.#kekHex = kekHex
  }

  #load(): Promise<CryptoKey> {
    const bytes = hexToBytes(this.#kekHex.replace(/^0x/, ''))
    this.#key ??= crypto.subtle.importKey('raw', bytes.slice(), 'AES-GCM', false, ['encrypt', 'decrypt'])
    return this.#key
  }

  async seal(plain: string, binding: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(12))
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: utf8ToBytes(binding).slice() },
      await this.#load(),
      utf8ToBytes(plain).slice(),
    )
    return `v1.${base64url.encode(iv)}.${base64url.encode(new Uint8Array(sealed))}`
  }

  /** Throws when the value was tampered with or belongs to another record. */
  async open(sealed: string, binding: string): Promise<string> {
    const [version, iv, body] = sealed.split('.')
    if (version !== 'v1' || !iv || !body) throw new Error('sealed value of an unknown version')
    const plain = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: base64url.decode(iv).slice(), additionalData: utf8ToBytes(binding).slice() },
      await this.#load(),
      base64url.decode(body).slice(),
    )
    return new TextDecoder().decode(plain)
  }
}
