import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/accounts.ts'
import { editUser, findUser, giveBackPasscode, takePasscode } from '../db/users.ts'
import { temporaryPasswordMessage } from '../delivery/messages.ts'
import { AppError } from '../errors.ts'
import { mailOwner } from '../identity/d1Directory.ts'
import { directoryOf, normalEmail } from '../identity/directory.ts'
import { newTemporaryPassword, passcodeHash } from '../identity/secrets.ts'
import type { SignupReply, User } from '../schemas/account.ts'
import { admitAttempt, attemptKey, forgetAttempts } from './attempts.ts'
import { refuseCommonPassword, tellOfNewPassword } from './passwordRules.ts'
import { asUser, endOtherSessions } from './sessions.ts'

const maxWrongPasscodes = 10
const maxWrongPasswords = 5

/**
 * An account with a temporary password in its owner's mail. Nothing is left behind when the mail could not be sent. For
 * an email address that is taken all looks the same, but its owner gets a mail that says so.
 */
export async function signUp(
  deps: Deps,
  input: { email: string; name: string; signupPasscode: string },
  address: string,
): Promise<SignupReply> {
  const { env, db, delivery } = deps
  const key = attemptKey('signup', address)
  await admitAttempt(db, key, maxWrongPasscodes, deps.now())
  const passcode = passcodeHash(env.CODE_PEPPER, input.signupPasscode)
  if (!(await takePasscode(db, passcode, deps.now())))
    throw new AppError('wrong_passcode', 'This signup passcode is not valid.', { field: 'signupPasscode' })
  await forgetAttempts(db, key)

  const directory = directoryOf(deps)
  const email = normalEmail(input.email)
  const name = input.name || null
  const password = newTemporaryPassword()
  let user: UserRow | null = null
  try {
    user = await directory.createWithTemporaryPassword({ email, name, password })
    if (user) {
      const message = { userId: user.id, to: email, name, password, appOrigin: env.APP_ORIGIN }
      await delivery.send(temporaryPasswordMessage(message))
    } else await mailOwner(deps, email)
  } catch (error) {
    if (user) await directory.discard(user)
    await giveBackPasscode(db, passcode)
    throw error
  }
  return { email, name, userConfirmed: false }
}

export async function getUser(deps: Deps, userId: string): Promise<User> {
  const row = await findUser(deps.db, userId)
  if (!row) throw new AppError('not_found', 'There is no such user.')
  return asUser(row)
}

export async function rename(deps: Deps, userId: string, name: string): Promise<User> {
  const row = await editUser(deps.db, userId, { name }, deps.now())
  if (!row) throw new AppError('not_found', 'There is no such user.')
  return asUser(row)
}

/** Sets name and password of an account that still needs both, and ends its other sessions. */
export async function completeOnboarding(
  deps: Deps,
  userId: string,
  sessionId: string,
  input: { name: string; password: string },
): Promise<User> {
  refuseCommonPassword(input.password, 'password')
  const row = await findUser(deps.db, userId)
  if (!row) throw new AppError('not_found', 'There is no such user.')
  // Otherwise this call would change a password without asking for the current one.
  const done = new AppError('conflict', 'Your account is already set up.')
  if (!asUser(row).needsOnboarding) throw done
  const changed = await directoryOf(deps).choosePassword(row, input.password, input.name)
  if (!changed) throw done
  await endOtherSessions(deps, userId, sessionId)
  return asUser(changed)
}

export async function changePassword(
  deps: Deps,
  userId: string,
  sessionId: string,
  input: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { db } = deps
  refuseCommonPassword(input.newPassword, 'newPassword')
  const row = await findUser(db, userId)
  if (!row) throw new AppError('not_found', 'There is no such user.')
  const key = attemptKey('change-password', userId)
  await admitAttempt(db, key, maxWrongPasswords, deps.now())
  const directory = directoryOf(deps)
  if (!(await directory.checkPassword(row, input.currentPassword)))
    throw new AppError('invalid_input', 'Your current password is not right.', { field: 'currentPassword' })
  await forgetAttempts(db, key)
  if (!(await directory.choosePassword(row, input.newPassword)))
    throw new AppError('conflict', 'Your password was changed a moment ago. Please try again.')
  await endOtherSessions(deps, userId, sessionId)
  tellOfNewPassword(deps, row)
}
