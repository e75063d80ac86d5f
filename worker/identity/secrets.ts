import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** A noun and 128 random bits as hex, for example `user_5f…`. */
export const newId = (noun: string) => `${noun}_${randomBytes(16).toString('hex')}`

/** 256 random bits as base64url, after a prefix that secret scanners can recognize. */
export const newSecret = (prefix = '') => `${prefix}${randomBytes(32).toString('base64url')}`

/** Hex. Stored in place of secrets that have 128 random bits or more. */
export const sha256 = (text: string) => hash('sha256', text)

/** Hex. Stored in place of guessable secrets: useless without the pepper, which is not in the database. */
export const peppered = (pepper: string, text: string) => createHmac('sha256', pepper).update(text).digest('hex')

/** The value of `signup_passcode.hash`. `pepper`: a version of the code pepper. */
export const passcodeHash = (pepper: string, passcode: string) => peppered(pepper, `signup-passcode:${passcode}`)

/** Compares two hex hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

/** Six uniformly random digits. */
export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0')

/** Four groups of four, about 77 bits, without letters that look alike: `hk4d-…`. Meant to be typed once. */
export function newTemporaryPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
