import { somethingWrong } from '#domain/words.ts'
import { isSchemaNotUsable } from './durable/migrations.ts'
import { AppError } from './errors.ts'

/** An error as its caller may see it. Unknown ones become `internal` without their text: causes and keys never leave. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (isSchemaNotUsable(thrown)) {
    const message = 'Bursar is being updated and this account waits for it. Please try again in a minute.'
    return new AppError('service_updating', message, { retryAfter: 60, cause: thrown })
  }
  return new AppError('internal', somethingWrong, { cause: thrown })
}
