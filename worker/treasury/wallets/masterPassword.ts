import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { cost, derive } from '../../identity/passwords.ts'

/** Separates this derivation from the one for sign-in passwords. */
const purpose = 'bursar master password v1'

/** AES-256-GCM under a key derived by scrypt. Text form: `p1.<salt>.<iv>.<ciphertext and tag>`, base64url. */
export async function sealUnderPassword(plain: string, password: string): Promise<string> {
  const salt = randomBytes(16)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await derive(password, purpose, { ...cost, salt }), iv)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return ['p1', ...[salt, iv, body].map((part) => part.toString('base64url'))].join('.')
}

/** Returns null if the password is wrong. Throws if the value does not have this form. */
export async function openUnderPassword(sealed: string, password: string): Promise<string | null> {
  const [version, ...parts] = sealed.split('.')
  const [salt, iv, body] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (version !== 'p1' || !salt || !iv || !body) throw new Error('password-sealed value of an unknown version')
  const decipher = createDecipheriv('aes-256-gcm', await derive(password, purpose, { ...cost, salt }), iv)
  decipher.setAuthTag(body.subarray(-16))
  try {
    return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
