import { type CallerId, memberOf } from '#domain/accounts.ts'
import { AppError, type ErrorCode, endedSession, type RecordedRefusal, type RefusalFigures } from './errors.ts'

export type { RecordedRefusal, RefusalFigures }

/**
 * The result of Durable Objects and of the services above them. Expected refusals are values, because the class and the own
 * properties of an error do not survive an RPC call.
 */
export type Result<T> = { ok: true; value: T } | Refused

export type Refused = {
  ok: false
  code: ErrorCode
  message: string
  /** The input at fault. */
  field?: string
  /** Seconds. */
  retryAfter?: number
  /** The id of what is there already. */
  existing?: string
  /** Why a policy refused, for /v1 problem bodies. */
  refusal?: RefusalFigures
}

export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })

export const refuse = (
  code: ErrorCode,
  message: string,
  more: { field?: string; retryAfter?: number } = {},
): Refused => ({
  ok: false,
  code,
  message,
  ...more,
})

/** `notFound('Wallet', 'walletId')`: "Wallet not found." */
export const notFound = (what: string, field?: string): Refused =>
  refuse('not_found', `${what} not found.`, field === undefined ? {} : { field })

/** Why nothing is done any more for this caller: a login session of the owner that has ended, or a person who was removed. */
export const endedCaller = (caller: CallerId): Refused =>
  memberOf(caller) === null ? refuse('unauthenticated', endedSession) : notFound('Account')

/** Returns the value, or throws the refusal as an AppError with the same contents. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const { ok: _, code, message, ...options } = result
  throw new AppError(code, message, options)
}

/** The result of `work`, or the refusal that it threw as an AppError: an object's callers would not recognize it. */
export const refuseThrown = <T>(work: () => Promise<Result<T>>): Promise<Result<T>> =>
  work().catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    const { code, message, field, retryAfter } = error
    return refuse(code, message, { ...(field && { field }), ...(retryAfter && { retryAfter }) })
  })

/** Applies `next` to the value. Returns a refusal unchanged. */
export const andThen = async <A, B>(
  result: Result<A>,
  next: (value: A) => Result<B> | Promise<Result<B>>,
): Promise<Result<B>> => (result.ok ? next(result.value) : result)

/** The body of every successful response under /api. middleware/failures.ts renders failures. */
export const success = <T>(data: T, message?: string) => ({
  success: true as const,
  data,
  ...(message ? { message } : {}),
})
