import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/schema.ts'
import { findUser } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { directoryFrom } from '../identity/directoryFrom.ts'
import { limitPasswords } from './accountLimits.ts'
import { attemptKey, limitAttempts, resetAttempts } from './attempts.ts'

const maxWrongPasswords = 5

/**
 * Requires the signed-in user to enter the password again. Throws `invalid_input` with the field for a wrong password, and
 * `rate_limited` after five wrong ones in 15 minutes, counted together with those of password changes.
 */
export async function requirePassword(
  deps: Deps,
  userId: string,
  password: string,
  { field, wrong }: { field: string; wrong: string } = { field: 'password', wrong: 'This password is incorrect.' },
): Promise<UserRow> {
  const { db } = deps
  const row = await findUser(db, userId)
  if (!row) throw new AppError('not_found', 'User not found.')
  const key = attemptKey('change-password', userId)
  await limitAttempts(db, key, maxWrongPasswords, deps.now())
  // Counts against known addresses, so that guesses by a stolen session do not use up the tries of new devices.
  const wasRight = await limitPasswords(deps, row.email, true)
  if (!(await directoryFrom(deps).checkPassword(row, password))) throw new AppError('invalid_input', wrong, { field })
  await resetAttempts(db, key)
  await wasRight()
  return row
}
