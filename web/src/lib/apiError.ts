import { somethingWrong } from '#domain/words.ts'
import type { Failure } from '#schemas/common.ts'

/**
 * A refused call. `message` is shown to people, `field` is the input at fault, `existing` the id of what is there already. Status 0
 * means that there was no reply.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  declare readonly status: number
  declare readonly code: string
  declare readonly field: string | undefined
  declare readonly existing: string | undefined
  constructor(status: number, code: string, message: string, field?: string, existing?: string) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
    this.existing = existing
  }
}

/** The ApiError of a response; `failure` is its body, null when the body is not a failure of /api. */
export const apiErrorOf = ({ status }: Response, failure: Failure | null) =>
  new ApiError(
    status,
    failure?.code ?? 'internal',
    failure?.message || failure?.error || somethingWrong,
    failure?.field,
    failure?.existing,
  )

const unknownFailure = 'An error occurred. Please try again or contact support if the issue persists.'

/**
 * The server's message. If it gave none: `refused` when the reply reports a failure under a success status, else
 * `fallback`.
 */
export function messageOf(error: unknown, fallback = unknownFailure, refused = fallback): string {
  if (!(error instanceof ApiError)) return fallback
  if (error.message !== somethingWrong) return error.message
  return error.status < 300 ? refused : fallback
}

/** Whether the call may have taken effect: there was no reply, or the server failed midway. */
export const isOutcomeUnknown = (error: unknown) =>
  !(error instanceof ApiError) || error.status === 0 || error.status >= 500
