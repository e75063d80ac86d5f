import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** 128 random bits as hex behind a noun, for example `user_5f…`. */
export const newId = (noun: string) => `${noun}_${randomBytes(16).toString('hex')}`

/** 256 random bits, base64url, behind a typed prefix that secret scanners can know. */
export const newSecret = (prefix = '') => `${prefix}${randomBytes(32).toString('base64url')}`

/** Hex. For secrets of 128 random bits or more: what the database keeps instead of them. */
export const sha256 = (text: string) => hash('sha256', text)

/** Hex. For anything guessable: useless to somebody who has the database but not the pepper. */
export const peppered = (pepper: string, text: string) => createHmac('sha256', pepper).update(text).digest('hex')

/** What `signup_passcode.hash` holds; `pepper` is CODE_PEPPER. */
export const passcodeHash = (pepper: string, passcode: string) => peppered(pepper, `signup-passcode:${passcode}`)

/** Both are hex hashes of the same length, so the time says nothing about where they differ. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

/** Six digits, each as likely as any other. */
export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0')

/** Four groups of four, about 77 bits, without letters that look like others: `hk4d-…`. Meant to be typed once. */
export function newTemporaryPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
