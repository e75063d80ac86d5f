import { somethingWrong } from '#domain/words.ts'
import { isSchemaNotUsable } from './durable/migrations.ts'
import { isRestoring } from './durable/restoreGate.ts'
import { AppError } from './errors.ts'

/** During a deployment an object may still run the previous version, which lacks a method. */
const isOlderObject = (thrown: unknown): boolean =>
  thrown instanceof TypeError && thrown.message.includes('does not implement the method')

/** Whether caller and object run incompatible versions. Nothing was done, and it resolves itself. */
export const isUpdating = (thrown: unknown): boolean => isSchemaNotUsable(thrown) || isOlderObject(thrown)

/** Converts any error into one that callers may see. Unknown errors become `internal` without their text. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (isUpdating(thrown)) {
    const message = 'Bursar is being updated and this account waits for it. Please try again in a minute.'
    return new AppError('service_updating', message, { retryAfter: 60, cause: thrown })
  }
  if (isRestoring(thrown)) {
    const message = 'This account is being restored from a backup. Nothing was done; please try again later.'
    return new AppError('account_restoring', message, { retryAfter: 60, cause: thrown })
  }
  return new AppError('internal', somethingWrong, { cause: thrown })
}
