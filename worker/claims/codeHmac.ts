import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring, KeyVersion } from '../keyrings/keyring.ts'

/**
 * What is kept of a payout's 6-digit code: HMAC-SHA256 over payout id, code version and code, under the code pepper,
 * without which so short a code could be guessed from a copy of the database. `<version of the pepper>.<hex>`; hex alone
 * for the first version, so that code from before there were several reads it too.
 */
export function codeHmac(pepper: KeyVersion, payoutId: string, codeVersion: number, code: string): string {
  const hmac = hmacOf(pepper.secret, payoutId, codeVersion, code)
  return pepper.version === 1 ? hmac : `${pepper.version}.${hmac}`
}

const hmacOf = (pepperHex: string, payoutId: string, codeVersion: number, code: string): string =>
  createHmac('sha256', Buffer.from(pepperHex, 'hex')).update(`${payoutId}|${codeVersion}|${code}`).digest('hex')

/** Whether this is the code. Throws UnknownKeyVersion. */
export function isRightCode(
  peppers: Keyring,
  payout: { payoutId: string; codeVersion: number; codeHmac: string | null },
  code: string,
): boolean {
  const [first = '', second] = (payout.codeHmac ?? '').split('.')
  const [version, hmac] = second === undefined ? [1, first] : [Number(first), second]
  const given = Buffer.from(hmacOf(peppers.secret(version), payout.payoutId, payout.codeVersion, code), 'hex')
  const expected = Buffer.from(hmac, 'hex')
  return expected.length === given.length && timingSafeEqual(expected, given)
}
