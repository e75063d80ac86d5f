import type { UserRow } from '../db/accounts.ts'

/** What a sign-in came to. `challenge`: the password is right but has to be replaced before anything else. */
export type SignIn =
  | { outcome: 'signed_in'; user: UserRow }
  | { outcome: 'challenge'; user: UserRow }
  | { outcome: 'unconfirmed' }
  | { outcome: 'refused' }

/**
 * Who people are. A directory verifies passwords and codes and knows the account's status; sessions and tokens are
 * always ours. E-mails are given normalised (`normalEmail`). Limits on guessing are the caller's, before the call.
 */
export interface IdentityDirectory {
  /** Unknown e-mail and wrong password are one answer and take the same time. */
  signIn(email: string, password: string): Promise<SignIn>
  /** A FORCE_CHANGE_PASSWORD account. Null when the e-mail is taken. */
  createWithTemporaryPassword(input: { email: string; name: string | null; password: string }): Promise<UserRow | null>
  /** Undo of the former, for an account whose password never reached its owner. */
  discard(userId: string): Promise<void>
  checkPassword(user: UserRow, password: string): Promise<boolean>
  /** The user's own choice; the account is CONFIRMED after it. Null when the password was changed meanwhile. */
  choosePassword(user: UserRow, password: string, name?: string): Promise<UserRow | null>
}

export const normalEmail = (email: string) => email.trim().normalize('NFC').toLowerCase()
