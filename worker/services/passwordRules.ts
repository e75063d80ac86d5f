import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { isCommonPassword } from '../identity/commonPasswords.ts'
import { passwordChangedMessage } from '../notifications/accountMessages.ts'

/** Throws `invalid_input` for passwords that attackers try first. Schemas check the length. */
export function refuseCommonPassword(password: string, field: string): void {
  if (isCommonPassword(password))
    throw new AppError('invalid_input', 'This password is one of the most common ones. Please choose another.', {
      field,
    })
}

/** Mails the user in the background, so that a failed mail does not fail the password change. */
export function notifyPasswordChanged(deps: Deps, user: UserRow): void {
  const { id: userId, email: to, name } = user
  deps.runInBackground(deps.messageProvider.send(passwordChangedMessage({ userId, to, name, now: deps.now() })))
}
