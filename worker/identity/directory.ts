import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/accounts.ts'
import { cognitoDirectory } from './cognitoDirectory.ts'
import { d1Directory } from './d1Directory.ts'

/**
 * What a sign-in came to. `challenge`: the password is right but has to be replaced before anything else; `proof` comes
 * back with the new one. `unconfirmed`: the password is right, the email address not proven yet.
 */
export type SignIn =
  | { outcome: 'signed_in'; user: UserRow }
  | { outcome: 'challenge'; user: UserRow; proof: string }
  | { outcome: 'unconfirmed' }
  | { outcome: 'refused' }

/**
 * Who people are. A directory verifies passwords and codes, mails its codes and knows the account's status; sessions
 * and tokens are always ours. Emails are given normalised (`normalEmail`). Limits on guessing are the caller's, before
 * the call. Nothing here tells by answer or time whether an email address has an account.
 */
export interface IdentityDirectory {
  signIn(email: string, password: string): Promise<SignIn>
  /** Null when the challenge is over. */
  answerChallenge(user: UserRow, proof: string, newPassword: string): Promise<UserRow | null>

  /** An UNCONFIRMED account, and a code by mail. An email address that is taken gets a mail that says so. */
  signUp(input: { email: string; name: string; password: string }): Promise<void>
  /** Another code for an UNCONFIRMED account; nothing for any other. */
  resendConfirmation(email: string): Promise<void>
  /** False for a code that is wrong, over or used. */
  confirm(email: string, code: string): Promise<boolean>
  /** A code by mail; nothing for an unknown email. */
  sendResetCode(email: string): Promise<void>
  /** Null for a code that is wrong, over or used. */
  resetPassword(email: string, code: string, newPassword: string): Promise<UserRow | null>

  /** A FORCE_CHANGE_PASSWORD account. Null when the email is taken. */
  createWithTemporaryPassword(input: { email: string; name: string | null; password: string }): Promise<UserRow | null>
  /** Undo of the former, for an account whose password never reached its owner. */
  discard(user: UserRow): Promise<void>
  checkPassword(user: UserRow, password: string): Promise<boolean>
  /** The user's own choice; the account is CONFIRMED after it. Null when the password was changed meanwhile. */
  choosePassword(user: UserRow, password: string, name?: string): Promise<UserRow | null>
}

/** The one that IDENTITY_DIRECTORY names. */
export const directoryOf = (deps: Deps): IdentityDirectory =>
  deps.env.IDENTITY_DIRECTORY === 'cognito' ? cognitoDirectory(deps) : d1Directory(deps)

export const normalEmail = (email: string) => email.trim().normalize('NFC').toLowerCase()
