import { parseLimits, parseNumbers } from '#domain/limits.ts'
import { parseContractSets } from '../chain/contractSets.ts'
import { smsCountries } from '../notifications/smsCountries.ts'
import { privateKeyProblem, signingKeyProblem } from './keyRules.ts'

/** Returns the problem with a value, without repeating the value, or null if it is well formed. */
export type Rule = (value: string) => string | null

export const oneOf =
  (...allowed: string[]): Rule =>
  (value) =>
    allowed.includes(value) ? null : `must be one of ${allowed.join(', ')}`

export const hex32: Rule = (value) => (/^(?:0x)?[0-9a-fA-F]{64}$/.test(value) ? null : 'must be 32 bytes in hex')

export const privateKey: Rule = (value) => hex32(value) ?? privateKeyProblem(value)

export const signingKey =
  (part: 'private' | 'public'): Rule =>
  (value) =>
    signingKeyProblem(value, part)

/** An origin or any URL, depending on `part`. Plain HTTP is allowed only for loopback. */
export const httpUrl =
  (part: 'origin' | 'url'): Rule =>
  (value) => {
    const url = URL.parse(value)
    if (!url) return 'is not a URL'
    const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) return 'must begin with https://'
    if (part === 'origin' && value !== url.origin) return 'must be an origin, such as https://bursar.example'
    return value.endsWith('/') ? 'must not end with a slash' : null
  }

export const rpcUrlList: Rule = (value) => {
  const urls = value.split(',').map((url) => url.trim())
  if (urls.length > 2) return 'must be one or two URLs'
  return urls.some((url) => httpUrl('url')(url.replace(/\/$/, ''))) ? 'must be one or two https:// URLs' : null
}

/** `{}` means that the network is not used. */
export const contracts: Rule = (value) => {
  const parsed = parseContractSets(value)
  return typeof parsed === 'string' ? parsed : null
}

export const integer =
  (least: number, most: number): Rule =>
  (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? null
      : `must be a whole number from ${least} to ${most}`

export const limits: Rule = (value) => {
  try {
    parseLimits(value)
    return null
  } catch {
    return 'is not a JSON object of known limits'
  }
}

export const feeCeilings: Rule = (value) => {
  try {
    parseNumbers(value, { baseFee: 0, priorityFee: 0 }, 'fee ceiling')
    return null
  } catch {
    return 'is not a JSON object of baseFee and priorityFee in gwei'
  }
}

export const countries: Rule = (value) => {
  try {
    smsCountries(value)
    return null
  } catch {
    return 'must be ISO 3166 codes such as US,DE'
  }
}

export const emailAddress: Rule = (value) =>
  /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(value) ? null : 'must be a plain email address, such as hello@bursar.example'

export const pattern =
  (expected: RegExp, words: string): Rule =>
  (value) =>
    expected.test(value) ? null : words
