import type { TextRule } from './readers/text.ts'

/** Validators of the wallet forms, shared with the API. Each returns the problem, or null. */

export const walletName: TextRule = { label: 'Name', max: 60 }

/** A deployment takes seconds. After this time the owner may delete the wallet instead of waiting. */
export const slowDeployMs = 60_000 // 1 minute
/** Epoch milliseconds. */
export const isSlowDeploy = (createdAt: number, now: number): boolean => now - createdAt >= slowDeployMs
/** A longer password would only make deriving the key slower. */
export const masterPasswordLength = 256

/** 64 hex digits, with or without 0x. Surrounding spaces are ignored. */
export function privateKeyProblem(text: string): string | null {
  if (!text.trim()) return 'Private key is required'
  return /^(0x)?[0-9a-fA-F]{64}$/.test(text.trim()) ? null : 'Private key must be 64 hexadecimal digits'
}

/** Normalizes a valid private key. */
export const privateKeyOf = (text: string): `0x${string}` => `0x${text.trim().replace(/^0x/, '').toLowerCase()}`

export const masterPasswordProblem = (text: string): string | null =>
  text === ''
    ? 'Master password is required'
    : text.length > masterPasswordLength
      ? `Master password must be at most ${masterPasswordLength} characters`
      : null
