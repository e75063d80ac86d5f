import { addressProblem } from './validators.ts'

/** Checks of wallets' forms, shared with the API. Each answers a sentence, or null when the value is fine. */

export const walletNameLength = 60
/** Longer ones would only cost time to derive a key from. */
export const masterPasswordLength = 256

/** Counted as people count: an emoji is one character. */
export const walletNameProblem = (name: string): string | null =>
  [...name].length > walletNameLength ? `Name must be at most ${walletNameLength} characters` : null

/** 64 hex digits, with or without 0x, spaces around them forgiven. */
export function privateKeyProblem(text: string): string | null {
  if (!text.trim()) return 'Private key is required'
  return /^(0x)?[0-9a-fA-F]{64}$/.test(text.trim()) ? null : 'Private key must be 64 hexadecimal digits'
}

/** Of a text that has no problem. */
export const privateKeyOf = (text: string): `0x${string}` => `0x${text.trim().replace(/^0x/, '').toLowerCase()}`

/** Of an address as it was typed: spaces around it are forgiven. */
export const typedAddressProblem = (text: string): string | null => addressProblem(text.trim())

export const masterPasswordProblem = (text: string): string | null =>
  text === ''
    ? 'Master password is required'
    : text.length > masterPasswordLength
      ? `Master password must be at most ${masterPasswordLength} characters`
      : null
