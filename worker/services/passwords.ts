import type { PersonId } from '#domain/accounts.ts'
import type { Deps, Person } from '../appEnv.ts'
import type { UserRow } from '../db/schema.ts'
import { findUser } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { directoryFrom } from '../identity/directoryFrom.ts'
import { passwordChangedMessage } from '../notifications/accountMessages.ts'
import { limitAttempts, limitPasswords } from './attemptLimits.ts'
import { requireOpenSession } from './openSession.ts'

/** Throws `invalid_input` for passwords that attackers try first. Schemas check the length. */
export function refuseCommonPassword(password: string, field: string): void {
  if (isCommonPassword(password))
    throw new AppError('invalid_input', 'This password is one of the most common ones. Please choose another.', {
      field,
    })
}

/** Mails the user in the background, so that a failed mail does not fail the password change. */
export function notifyPasswordChanged(deps: Deps, user: UserRow): void {
  const { id: userId, email: to } = user
  const message = passwordChangedMessage({ userId, to, now: deps.now(), appOrigin: deps.env.APP_ORIGIN })
  deps.runInBackground(deps.messageProvider.send(message))
}

/** Passwords that attackers try first. Comparison ignores case and trailing digits and punctuation. */
const common = new Set(
  `123456 1234567 12345678 123456789 1234567890 111111 000000 123123 654321 666666 121212 112233 password passw0rd
   p@ssw0rd qwerty qwerty123 qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx abc123
   abcdef abcd1234 iloveyou admin admin123 administrator welcome welcome1 letmein monkey dragon football baseball
   basketball master sunshine princess shadow superman batman trustno1 starwars whatever freedom michael jordan23
   charlie donald secret changeme default login guest google bursar bitcoin ethereum usdc1234`
    .split(/\s+/)
    .filter(Boolean),
)

export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  const bare = plain.replace(/[!.?*]+$/, '')
  return [plain, bare, bare.replace(/\d+$/, '')].some((each) => common.has(each)) || /^(.)\1*$/u.test(plain)
}

/**
 * Requires the signed-in user to enter the password again. Throws `invalid_input` with the field for a wrong password, and
 * `rate_limited` after five wrong ones in 15 minutes, counted together with those of password changes.
 */
export async function requirePassword(
  deps: Deps,
  personId: PersonId,
  password: string,
  { field, wrong }: { field: string; wrong: string } = { field: 'password', wrong: 'This password is incorrect.' },
): Promise<UserRow> {
  const row = await findUser(deps.db, personId)
  if (!row) throw new AppError('not_found', 'User not found.')
  const succeeded = await limitAttempts(deps, 'change-password', personId)
  // Counts against known addresses, so that guesses by a stolen session do not use up the tries of new devices.
  const wasRight = await limitPasswords(deps, row.email)
  if (!(await directoryFrom(deps).checkPassword(row, password))) throw new AppError('invalid_input', wrong, { field })
  await succeeded()
  await wasRight()
  return row
}

/**
 * True if the right password was given, false if none was. Throws as `requirePassword` does for a wrong one. The session is
 * checked first, because passwords must not be tried with one that has ended.
 */
export async function checkPassword(person: Person, password: string | undefined): Promise<boolean> {
  if (password === undefined) return false
  await requireOpenSession(person)
  await requirePassword(person.deps, person.personId, password)
  return true
}
