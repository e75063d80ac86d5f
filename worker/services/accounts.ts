import type { PersonId } from '#domain/accounts.ts'
import { signUpModeOf } from '#domain/signUpMode.ts'
import type { SignupReply, User } from '#schemas/account.ts'
import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/schema.ts'
import { editUser, findUser, returnPasscode, takePasscode } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { directoryFrom } from '../identity/directoryFrom.ts'
import { endOtherLoginSessions, syncEndedSessions } from '../identity/endSessions.ts'
import { newTemporaryPassword, passcodeHash } from '../identity/secrets.ts'
import { notifyAlreadyRegistered } from '../identity/signUps.ts'
import { keyring } from '../keyrings/keyring.ts'
import { temporaryPasswordMessage } from '../notifications/accountMessages.ts'
import { limitAttempts, limitCodeRequests } from './attemptLimits.ts'
import { asUser } from './loginSessions.ts'
import { notifyPasswordChanged, refuseCommonPassword, requirePassword } from './passwords.ts'
import { isInvited } from './people.ts'

/**
 * Creates an account and mails a temporary password. Leaves nothing behind if the mail cannot be sent. If the email is
 * taken, the reply is the same and its owner is mailed instead.
 */
export async function signUp(
  deps: Deps,
  input: { email: string; name: string; signupPasscode: string },
  address: string,
): Promise<SignupReply> {
  const { env, messageProvider } = deps
  const returnPasscode = await admitSignUp(deps, { passcode: input.signupPasscode, byPasscode: true }, address)
  const directory = directoryFrom(deps)
  const { email } = input
  const name = input.name || null
  const password = newTemporaryPassword()
  let user: UserRow | null = null
  let takeBack = async () => {}
  try {
    takeBack = await limitCodeRequests(deps, 'confirm', email, address)
    user = await directory.createWithTemporaryPassword({ email, name, password })
    if (user) {
      const message = { userId: user.id, to: email, password, appOrigin: env.APP_ORIGIN }
      await messageProvider.send(temporaryPasswordMessage(message))
    } else await notifyAlreadyRegistered(deps, email)
  } catch (error) {
    if (user) await directory.discard(user)
    await takeBack()
    await returnPasscode()
    throw error
  }
  return { email, name, userConfirmed: false }
}

export async function getUser(deps: Deps, personId: PersonId): Promise<User> {
  const row = await findUser(deps.db, personId)
  if (!row) throw new AppError('not_found', 'User not found.')
  return asUser(row)
}

export async function rename(deps: Deps, personId: PersonId, name: string): Promise<User> {
  const row = await editUser(deps.db, personId, { name }, deps.now())
  if (!row) throw new AppError('not_found', 'User not found.')
  return asUser(row)
}

/**
 * Replaces a temporary password, sets the name, and ends the other sessions. An account that has chosen its password changes it
 * with the current one only: a session alone must not take it over because the name is missing, which `rename` sets.
 */
export async function completeOnboarding(
  deps: Deps,
  personId: PersonId,
  sessionId: string,
  input: { name: string; password: string },
): Promise<User> {
  refuseCommonPassword(input.password, 'password')
  const row = await findUser(deps.db, personId)
  if (!row) throw new AppError('not_found', 'User not found.')
  const alreadyDone = new AppError('conflict', 'Your account is already set up. Its password is changed in Settings.')
  if (!asUser(row).passwordIsTemporary) throw alreadyDone
  await syncEndedSessions(deps, personId)
  const changed = await directoryFrom(deps).choosePassword(row, input.password, input.name)
  if (!changed) throw alreadyDone
  await endOtherLoginSessions(deps, personId, sessionId)
  notifyPasswordChanged(deps, row)
  return asUser(changed)
}

export async function changePassword(
  deps: Deps,
  personId: PersonId,
  sessionId: string,
  input: { currentPassword: string; newPassword: string },
): Promise<void> {
  refuseCommonPassword(input.newPassword, 'newPassword')
  const wrong = 'Your current password is incorrect.'
  const row = await requirePassword(deps, personId, input.currentPassword, { field: 'currentPassword', wrong })
  await syncEndedSessions(deps, personId)
  if (!(await directoryFrom(deps).choosePassword(row, input.newPassword)))
    throw new AppError('conflict', 'Your password has just been changed. Please try again.')
  await endOtherLoginSessions(deps, personId, sessionId)
  notifyPasswordChanged(deps, row)
}

/**
 * Checks that this sign-up is allowed and counts one use of its passcode. `byPasscode` requires a passcode even if sign-up
 * is open. An invitation to the address is as good as a passcode. Returns a function that undoes the count if the sign-up
 * fails afterwards.
 */
export async function admitSignUp(
  deps: Deps,
  input: { passcode: string | undefined; byPasscode: boolean; invitation?: { token: string; email: string } | null },
  address: string,
): Promise<() => Promise<void>> {
  const { env, db } = deps
  const mode = signUpModeOf(env)
  if (mode === 'closed') throw new AppError('forbidden', 'Sign-up is closed.')
  const isFree = mode === 'open' || (!input.passcode && input.invitation && (await isInvited(deps, input.invitation)))
  if (isFree && !input.byPasscode) return async () => {}
  if (!input.passcode && input.invitation)
    throw new AppError('forbidden', 'Use the address that the invitation was sent to, or sign up with a passcode.', {
      field: 'email',
    })
  if (!input.passcode) throw new AppError('wrong_passcode', 'Signup passcode is required', { field: 'signupPasscode' })

  const succeeded = await limitAttempts(deps, 'signup', address)
  const hashes = keyring(env, 'CODE_PEPPER').versions.map(({ secret }) => passcodeHash(secret, input.passcode!))
  const passcode = await takePasscode(db, hashes, deps.now())
  if (passcode === null)
    throw new AppError('wrong_passcode', 'This signup passcode is not valid.', { field: 'signupPasscode' })
  await succeeded()
  return () => returnPasscode(db, passcode)
}
