import type { SignupRow } from '../db/schema.ts'
import { sha256 } from './secrets.ts'

/**
 * The sign-up whose password a confirmation keeps, or undefined if all are discarded. Anyone can sign up any address, so
 * without a token a sign-up counts as the caller's own only if it is the address's only one.
 */
export function signupToConfirm(signups: SignupRow[], signupToken: string | undefined): SignupRow | undefined {
  if (signupToken === undefined) return signups.length === 1 ? signups[0] : undefined
  const tokenHash = sha256(signupToken)
  return signups.find((row) => row.tokenHash === tokenHash)
}
