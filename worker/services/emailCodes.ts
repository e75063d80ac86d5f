import type { Deps } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { directoryOf, normalEmail } from '../identity/directory.ts'
import type { SignupReply } from '../schemas/account.ts'
import {
  admitAttempt,
  admitCodeCall,
  admitCodeRequest,
  attemptKey,
  forgetAttempts,
  rememberAddress,
} from './attempts.ts'
import { refuseCommonPassword, tellOfNewPassword } from './passwordRules.ts'
import { endOtherSessions } from './sessions.ts'

/**
 * Signup, confirmation and reset by codes in emails. Whatever depends on whether the address has an account happens in
 * the directory at equal cost, or after the answer: nobody learns it from a text or from the time.
 */

/** Two codes' worth: each has five tries of its own. */
const maxWrongCodes = 10

export async function signUpWithPassword(
  deps: Deps,
  input: { email: string; password: string; name: string },
  address: string,
): Promise<SignupReply> {
  const { password, name } = input
  refuseCommonPassword(password, 'password')
  const email = normalEmail(input.email)
  await admitCodeCall(deps.db, address, deps.now())
  await admitCodeRequest(deps.db, 'confirm', email, deps.now())
  await directoryOf(deps).signUp({ email, name, password })
  return { email, name, userConfirmed: false }
}

export async function resendConfirmation(deps: Deps, input: { email: string }, address: string): Promise<void> {
  const email = normalEmail(input.email)
  await admitCodeCall(deps.db, address, deps.now())
  await admitCodeRequest(deps.db, 'confirm', email, deps.now())
  deps.afterwards(directoryOf(deps).resendConfirmation(email))
}

export async function confirmEmail(deps: Deps, input: { email: string; code: string }, address: string): Promise<void> {
  const email = normalEmail(input.email)
  const key = attemptKey('confirm', email, address)
  await admitAttempt(deps.db, key, maxWrongCodes, deps.now())
  if (!(await directoryOf(deps).confirm(email, input.code))) throw wrongCode('Email confirmation failed.')
  await forgetAttempts(deps.db, key)
}

export async function forgotPassword(deps: Deps, input: { email: string }, address: string): Promise<void> {
  const email = normalEmail(input.email)
  await admitCodeCall(deps.db, address, deps.now())
  await admitCodeRequest(deps.db, 'reset', email, deps.now())
  deps.afterwards(directoryOf(deps).sendResetCode(email))
}

/** Ends every session of the user: whoever knew the old password is out. */
export async function resetPassword(
  deps: Deps,
  input: { email: string; code: string; newPassword: string },
  address: string,
): Promise<void> {
  const { db, now } = deps
  refuseCommonPassword(input.newPassword, 'newPassword')
  const email = normalEmail(input.email)
  const key = attemptKey('reset', email, address)
  await admitAttempt(db, key, maxWrongCodes, now())
  const user = await directoryOf(deps).resetPassword(email, input.code, input.newPassword)
  if (!user) throw wrongCode('Password reset failed.')
  await endOtherSessions(deps, user.id, null)
  await forgetAttempts(db, key)
  // The owner is here: neither own mistakes before nor strangers' guesses keep them from signing in.
  await forgetAttempts(db, attemptKey('login', email, address))
  await rememberAddress(db, email, address, now())
  tellOfNewPassword(deps, user)
}

const wrongCode = (what: string) =>
  new AppError('wrong_passcode', `${what} The code is wrong or no longer valid. You can ask for a new one.`, {
    field: 'code',
  })
