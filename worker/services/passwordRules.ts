import { AppError } from '../errors.ts'
import { isCommonPassword } from '../identity/commonPasswords.ts'

/** The length is the schema's business; this refuses what every attack tries first. */
export function refuseCommonPassword(password: string, field: string): void {
  if (isCommonPassword(password))
    throw new AppError('invalid_input', 'This password is one of the most common ones. Please choose another.', {
      field,
    })
}
