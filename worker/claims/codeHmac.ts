import { createHmac } from 'node:crypto'

/**
 * What is kept of a payout's 6-digit code: HMAC-SHA256 over payout id, code version and code, in hex. `pepperHex` is the
 * secret CODE_PEPPER, without which so short a code could be guessed from a copy of the database.
 */
export const codeHmac = (pepperHex: string, payoutId: string, codeVersion: number, code: string): string =>
  createHmac('sha256', Buffer.from(pepperHex, 'hex')).update(`${payoutId}|${codeVersion}|${code}`).digest('hex')
