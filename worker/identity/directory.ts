import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { UserRow } from '../db/schema.ts'

/**
 * Outcome of a sign-in. `challenge`: the password is right but must be replaced before anything else; `proof` must be passed
 * back with the new one. `unconfirmed`: the password is right, but the email address is not confirmed yet.
 */
export type SignIn =
  | { outcome: 'signed_in'; user: UserRow }
  | { outcome: 'challenge'; user: UserRow; proof: string }
  | { outcome: 'unconfirmed' }
  | { outcome: 'refused' }

/** Counts the attempt, with these reads in the same round trip, and returns their rows. Throws beyond a limit. */
export type Admit = <Reads extends BatchItem<'sqlite'>[]>(...reads: Reads) => Promise<BatchResponse<Reads>>

export type SignUp = { email: string; name: string; password: string }
export type NewUser = { email: string; name: string | null; password: string }

/** Proves that the caller can read mail to an address: the mailed code, or the token of the mailed link. */
export type EmailProof = { email: string; code: string } | { linkToken: string }

/**
 * Outcome of a confirmation. If the password of the sign-up was not kept, the account has none yet: `resetToken` is the
 * token of a link to choose one, or null if the directory has no links and a code must be requested.
 */
export type Confirmation = { passwordKept: true } | { passwordKept: false; resetToken: string | null }

/**
 * Verifies passwords and codes, mails its codes and knows each account's status. Sessions and tokens are always ours.
 * Emails are passed in their stored form (domain/email.ts). Callers limit guessing before they call. No result and no response
 * time reveals whether an email address has an account.
 */
export interface IdentityDirectory {
  /** Whether its mails contain a link as well as a code. If not, only codes work, and the directory limits wrong ones. */
  readonly mailsLinks: boolean
  /** Calls `admit` before it compares anything. */
  signIn(email: string, password: string, admit: Admit): Promise<SignIn>
  /** Null if the challenge has expired. */
  answerChallenge(user: UserRow, proof: string, newPassword: string): Promise<UserRow | null>

  /**
   * Mails a proof to the address. If it already has an account, mails its owner instead. Anyone can sign up any address, so
   * the sign-up's token decides whose password the confirmation keeps.
   */
  signUp(input: SignUp): Promise<{ signupToken: string }>
  /** Mails another proof if the account is UNCONFIRMED, otherwise does nothing. */
  resendConfirmation(email: string): Promise<void>
  /**
   * Null if the proof is wrong, expired or used. Keeps the password of the sign-up with `signupToken` or, without a token,
   * of the address's only sign-up. Otherwise discards all passwords.
   */
  confirm(proof: EmailProof, signupToken: string | undefined): Promise<Confirmation | null>
  /** Mails a proof, or does nothing for an unknown email. */
  sendResetCode(email: string): Promise<void>
  /** Null if the proof is wrong, expired or used. */
  resetPassword(proof: EmailProof, newPassword: string): Promise<UserRow | null>

  /** Creates a FORCE_CHANGE_PASSWORD account. Null if the email is taken. */
  createWithTemporaryPassword(input: NewUser): Promise<UserRow | null>
  /** Undoes `createWithTemporaryPassword` if the password could not be mailed. */
  discard(user: UserRow): Promise<void>
  checkPassword(user: UserRow, password: string): Promise<boolean>
  /** Sets the password that the user chose; the account is CONFIRMED afterwards. Null if it was changed concurrently. */
  choosePassword(user: UserRow, password: string, name?: string): Promise<UserRow | null>
}
