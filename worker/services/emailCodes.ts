import { normalizeEmail } from '#domain/email.ts'
import type { ConfirmReply, SignupReply, SignupToken } from '#schemas/account.ts'
import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { Confirmation } from '../identity/directory.ts'
import { directoryFrom } from '../identity/directoryFrom.ts'
import {
  limitCodeCalls,
  limitCodeRequests,
  limitProofs,
  limitWrongCodes,
  rememberAddress,
  resetKnownPasswords,
} from './accountLimits.ts'
import { attemptKey, resetAttempts } from './attempts.ts'
import { endOtherLoginSessions } from './loginSessions.ts'
import { notifyPasswordChanged, refuseCommonPassword } from './passwordRules.ts'
import { admitSignUp } from './signUpAdmission.ts'

/**
 * Signup, confirmation and password reset by emailed codes and links. Neither texts nor response times reveal whether an
 * address has an account: the work costs the same either way, or runs in the background.
 */

export async function signUpWithPassword(
  deps: Deps,
  input: { email: string; password: string; name: string; signupPasscode?: string | undefined },
  address: string,
): Promise<SignupReply & SignupToken> {
  const { password, name } = input
  refuseCommonPassword(password, 'password')
  const email = normalizeEmail(input.email)
  await limitCodeCalls(deps.db, address, deps.now())
  await limitCodeRequests(deps.db, 'confirm', email, deps.now())
  const returnPasscode = await admitSignUp(deps, { passcode: input.signupPasscode, byPasscode: false }, address)
  try {
    const { signupToken } = await directoryFrom(deps).signUp({ email, name, password })
    return { email, name, userConfirmed: false, signupToken }
  } catch (error) {
    await returnPasscode()
    throw error
  }
}

export async function resendConfirmation(deps: Deps, input: { email: string }, address: string): Promise<void> {
  const email = normalizeEmail(input.email)
  await limitCodeCalls(deps.db, address, deps.now())
  await limitCodeRequests(deps.db, 'confirm', email, deps.now())
  deps.runInBackground(directoryFrom(deps).resendConfirmation(email))
}

export async function confirmEmail(
  deps: Deps,
  input: { email: string; code: string; signupToken?: string | undefined },
  address: string,
): Promise<ConfirmReply> {
  const { code, signupToken } = input
  const email = normalizeEmail(input.email)
  const directory = directoryFrom(deps)
  await limitProofs(deps.db, address, deps.now())
  const confirmation = await tryCode(deps, email, () => directory.confirm({ email, code }, signupToken))
  if (!confirmation) throw wrongCode('Email confirmation failed.')
  return confirmReply(confirmation)
}

export async function confirmByLink(
  deps: Deps,
  input: { token: string; signupToken?: string | undefined },
  address: string,
): Promise<ConfirmReply> {
  await limitProofs(deps.db, address, deps.now())
  const confirmation = await directoryFrom(deps).confirm({ linkToken: input.token }, input.signupToken)
  if (!confirmation) throw linkInvalid()
  return confirmReply(confirmation)
}

const confirmReply = (confirmation: Confirmation): ConfirmReply => ({ resetToken: null, ...confirmation })

export async function forgotPassword(deps: Deps, input: { email: string }, address: string): Promise<void> {
  const email = normalizeEmail(input.email)
  await limitCodeCalls(deps.db, address, deps.now())
  await limitCodeRequests(deps.db, 'reset', email, deps.now())
  deps.runInBackground(directoryFrom(deps).sendResetCode(email))
}

export async function resetPassword(
  deps: Deps,
  input: { email: string; code: string; newPassword: string },
  address: string,
): Promise<void> {
  const { code, newPassword } = input
  refuseCommonPassword(newPassword, 'newPassword')
  const email = normalizeEmail(input.email)
  const directory = directoryFrom(deps)
  await limitProofs(deps.db, address, deps.now())
  const user = await tryCode(deps, email, () => directory.resetPassword({ email, code }, newPassword))
  if (!user) throw wrongCode('Password reset failed.')
  await afterReset(deps, user, address)
}

export async function resetPasswordByLink(
  deps: Deps,
  input: { token: string; newPassword: string },
  address: string,
): Promise<void> {
  refuseCommonPassword(input.newPassword, 'newPassword')
  await limitProofs(deps.db, address, deps.now())
  const user = await directoryFrom(deps).resetPassword({ linkToken: input.token }, input.newPassword)
  if (!user) throw linkInvalid()
  await afterReset(deps, user, address)
}

/** Ends all of the user's sessions, because others may know the old password, and lets the user sign in at this address. */
async function afterReset(deps: Deps, user: UserRow, address: string): Promise<void> {
  const { db, now } = deps
  await endOtherLoginSessions(deps, user.id, null)
  // The owner is identified, so earlier wrong passwords must not keep them from signing in.
  await resetAttempts(db, attemptKey('login', user.email, address))
  await rememberAddress(db, user.email, address, now())
  await resetKnownPasswords(db, user.email)
  notifyPasswordChanged(deps, user)
}

/** Runs `compare`, subject to the limit on wrong codes if mails also contain a link. Null for a wrong code. */
async function tryCode<T>(deps: Deps, email: string, compare: () => Promise<T | null>): Promise<T | null> {
  if (!directoryFrom(deps).mailsLinks) return compare()
  const wasRight = await limitWrongCodes(deps, email)
  const result = await compare()
  if (result !== null) await wasRight()
  return result
}

const wrongCode = (what: string) =>
  new AppError('wrong_passcode', `${what} The code is wrong or no longer valid. You can ask for a new one.`, {
    field: 'code',
  })

const linkInvalid = () => new AppError('gone', 'This link is no longer valid. You can ask for a new one.')
