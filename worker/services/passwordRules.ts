import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/accounts.ts'
import { passwordChangedMessage } from '../delivery/messages.ts'
import { AppError } from '../errors.ts'
import { isCommonPassword } from '../identity/commonPasswords.ts'

/** The length is the schema's business; this refuses what every attack tries first. */
export function refuseCommonPassword(password: string, field: string): void {
  if (isCommonPassword(password))
    throw new AppError('invalid_input', 'This password is one of the most common ones. Please choose another.', {
      field,
    })
}

/** After the answer: a notice that could not leave must not read as a failed change. */
export function tellOfNewPassword(deps: Deps, user: UserRow): void {
  const { id: userId, email: to, name } = user
  deps.afterwards(deps.delivery.send(passwordChangedMessage({ userId, to, name, now: deps.now() })))
}
