import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring, KeyVersion } from '../keyrings/keyring.ts'

/**
 * The stored form of a payout's 6-digit code: HMAC-SHA256 over payout id, code version and code, under the code pepper,
 * without which such a short code could be guessed from a copy of the database. `<version of the pepper>.<hex>`.
 */
export function codeHmac(pepper: KeyVersion, payoutId: string, codeVersion: number, code: string): string {
  return `${pepper.version}.${hmacOf(pepper.secret, payoutId, codeVersion, code)}`
}

const hmacOf = (pepperHex: string, payoutId: string, codeVersion: number, code: string): string =>
  createHmac('sha256', Buffer.from(pepperHex, 'hex')).update(`${payoutId}|${codeVersion}|${code}`).digest('hex')

/** Returns whether this is the payout's code. Throws UnknownKeyVersion. */
export function isRightCode(
  peppers: Keyring,
  payout: { payoutId: string; codeVersion: number; codeHmac: string | null },
  code: string,
): boolean {
  if (payout.codeHmac === null) return false
  const [version = '', hmac = ''] = payout.codeHmac.split('.')
  const given = Buffer.from(hmacOf(peppers.secret(Number(version)), payout.payoutId, payout.codeVersion, code), 'hex')
  const expected = Buffer.from(hmac, 'hex')
  return expected.length === given.length && timingSafeEqual(expected, given)
}
