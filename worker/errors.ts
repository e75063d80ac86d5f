import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Scope } from './domain/scopes.ts'

/**
 * The code-to-status table of /api. The SPA signs out when a 401 or 403 text mentions token, Authentication,
 * Unauthorized or expired, so only `unauthenticated` may use those words (decisions.md; tests read every text).
 */
export const statusOf = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  payload_too_large: 413,
  unprocessable: 422,
  idempotency_key_reused: 422,
  wrong_passcode: 422,
  // Policy refusals (domain/policy.ts).
  agent_disabled: 403,
  insufficient_scope: 403,
  recipient_not_allowed: 403,
  contact_changed: 403,
  payment_limit_exceeded: 403,
  budget_exceeded: 403,
  unclaimed_limit_exceeded: 403,
  wallet_not_ready: 422,
  owner_must_sign: 422,
  session_key_expired: 422,
  session_limit_exceeded: 422,
  insufficient_balance: 422,
  rate_limited: 429,
  internal: 500,
  upstream_unavailable: 502,
  unavailable: 503,
} as const
export type ErrorCode = keyof typeof statusOf

export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly field: string | undefined
  /** Seconds; sent as Retry-After. */
  readonly retryAfter: number | undefined
  constructor(
    code: ErrorCode,
    message: string,
    options: { field?: string; cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.field = options.field
    this.retryAfter = options.retryAfter
  }
}

export const ok = <T>(data: T, message?: string) => ({ success: true as const, data, ...(message ? { message } : {}) })

/** RPC answers of the objects: errors' classes do not survive that boundary, so refusals are values. */
export type Refused = {
  ok: false
  code: ErrorCode
  message: string
  field?: string
  /** Seconds. */
  retryAfter?: number
  /** Why a policy said no, for /v1 problem bodies. Decimal USDC. */
  refusal?: RefusalFigures
}
export type RefusalFigures = {
  rule: string
  next: string
  max_allowed_now: string
  limit?: string | null
  spent?: string
  held?: string
  remaining?: string | null
  /** When the rule's period ends. ISO 8601, UTC. */
  resets_at?: string
  /** The scope that is missing. */
  scope?: Scope
  /** The recorded refusal, when it was recorded. */
  id?: string
}
export type Result<T> = { ok: true; value: T } | Refused

/** The value of an object's answer, or the AppError it stands for. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const { code, message, field, retryAfter } = result
  throw new AppError(code, message, { ...(field ? { field } : {}), ...(retryAfter ? { retryAfter } : {}) })
}

/** Unknown errors are logged whole and answered blank: causes and keys never leave the Worker. */
export function onError(error: Error, c: Context) {
  const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong.', { cause: error })
  const status = statusOf[known.code] as ContentfulStatusCode
  if (status >= 500) console.error(known.code, known.cause ?? known)
  if (known.retryAfter) c.header('Retry-After', String(known.retryAfter))
  return c.json(
    { success: false as const, error: known.message, code: known.code, ...(known.field ? { field: known.field } : {}) },
    status,
  )
}
