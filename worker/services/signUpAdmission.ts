import { signUpModeOf } from '#domain/signUpMode.ts'
import type { Deps } from '../appEnv.ts'
import { returnPasscode, takePasscode } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { passcodeHash } from '../identity/secrets.ts'
import { keyring } from '../keyrings/keyring.ts'
import { attemptKey, limitAttempts, resetAttempts } from './attempts.ts'

const maxWrongPasscodes = 10

/**
 * Checks that this sign-up is allowed and counts one use of its passcode. `byPasscode` requires a passcode even if sign-up
 * is open. Returns a function that undoes the count if the sign-up fails afterwards.
 */
export async function admitSignUp(
  deps: Deps,
  input: { passcode: string | undefined; byPasscode: boolean },
  address: string,
): Promise<() => Promise<void>> {
  const { env, db } = deps
  const mode = signUpModeOf(env)
  if (mode === 'closed') throw new AppError('forbidden', 'Sign-up is closed.')
  if (mode === 'open' && !input.byPasscode) return async () => {}
  if (!input.passcode) throw new AppError('wrong_passcode', 'Signup passcode is required', { field: 'signupPasscode' })

  const key = attemptKey('signup', address)
  await limitAttempts(db, key, maxWrongPasscodes, deps.now())
  const hashes = keyring(env, 'CODE_PEPPER').versions.map(({ secret }) => passcodeHash(secret, input.passcode!))
  const passcode = await takePasscode(db, hashes, deps.now())
  if (passcode === null)
    throw new AppError('wrong_passcode', 'This signup passcode is not valid.', { field: 'signupPasscode' })
  await resetAttempts(db, key)
  return () => returnPasscode(db, passcode)
}
