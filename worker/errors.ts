import type { Scope } from '#domain/scopes.ts'

/**
 * Error codes and their HTTP statuses. The browser signs out on a 401 or 403 whose text contains token, Authentication,
 * Unauthorized or expired, so only `unauthenticated` may use those words (tests/domain/errorWords.test.ts).
 */
export const statusOf = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  /** These rows are a payout run already. */
  same_run: 409,
  gone: 410,
  payload_too_large: 413,
  /** The request was for another host than ours (middleware/host.ts). */
  misdirected_request: 421,
  unprocessable: 422,
  idempotency_key_reused: 422,
  /** An account has as many contacts as it may have (domain/contactRules.ts). */
  contact_limit: 422,
  wrong_passcode: 422,
  /** The operator has suspended the account: agents may not do anything; the owner may read and withdraw. */
  account_suspended: 403,
  // Policy refusals (domain/refusal.ts).
  agent_disabled: 403,
  insufficient_scope: 403,
  recipient_not_allowed: 403,
  contact_changed: 403,
  payment_limit_exceeded: 403,
  budget_exceeded: 403,
  unclaimed_limit_exceeded: 403,
  policy_limit_exceeded: 403,
  policy_refused: 403,
  /** A stored rule that this code does not know. */
  policy_unknown: 403,
  // Outcomes of approvals (domain/approval.ts).
  approval_denied: 403,
  approval_expired: 410,
  approval_cancelled: 410,
  approvals_full: 429,
  /** The owner approves, but the current rules refuse. */
  approval_refused: 422,
  password_required: 422,
  /** More than the owner's limit would have one person behind it (domain/secondPerson.ts). */
  second_person_required: 422,
  wallet_not_ready: 422,
  owner_must_sign: 422,
  session_key_expired: 422,
  session_limit_exceeded: 422,
  insufficient_balance: 422,
  purchases_used_up: 422,
  /** No offer of an x402 seller can be paid (domain/x402/chooseOffer.ts), or all cost more than `max_amount`. */
  unsupported_payment: 422,
  max_amount_exceeded: 422,
  recipient_blocked: 422,
  /** The operator's sanctions oracle lists the address. Nobody is told more (treasury/payments/screening.ts). */
  recipient_screened: 422,
  rate_limited: 429,
  // Limits of this service (domain/limits.ts).
  payment_rate_exceeded: 429,
  queue_full: 429,
  gas_allowance_exceeded: 429,
  message_limit: 429,
  internal: 500,
  upstream_unavailable: 502,
  unavailable: 503,
  /** The operator's sanctions oracle does not respond. */
  screening_unavailable: 503,
  /** Newer code has migrated the object's database, or its migration is not finished (durable/objectSchema.ts). */
  service_updating: 503,
  /** The Treasury is being restored to an earlier time (treasury/account/restore/). */
  account_restoring: 503,
  /** The operator has stopped payments for all accounts (domain/serviceStop.ts). */
  payments_paused: 503,
} as const
export type ErrorCode = keyof typeof statusOf

/** Why a policy refused a payment, for /v1 problem bodies and MCP results. Amounts are decimal USDC. */
export type RefusalFigures = {
  rule: string
  next: string
  max_allowed_now: string
  max_without_asking?: string
  /** Of a rule that counts payments. */
  count?: { limit: number; used: number }
  limit?: string | null
  spent?: string
  held?: string
  remaining?: string | null
  /** When the rule's period ends. ISO 8601, UTC. */
  resets_at?: string
  /** The scope that the access token lacks. */
  scope?: Scope
  /** Of purchases that are used up: 0, 1 or 2, up to 0.01, 0.1 and 1 USDC. */
  class?: number
  /** Id of the recorded refusal, if it was recorded. */
  id?: string
}

/** A refusal as it is recorded: with what the owner can do. */
export type RecordedRefusal = Partial<RefusalFigures> & { next_for_owner?: string }

type Options = {
  /** The input at fault, as a dotted path. */
  field?: string
  /** Seconds; sent as Retry-After. */
  retryAfter?: number
  refusal?: RefusalFigures
  /** What an operator has to fix. Only sent to operators. */
  causes?: string[]
  /** The id of what is there already. */
  existing?: string
  /** Logged when the status is 500 or above; never sent. */
  cause?: unknown
}

/** The message for any agent credential that is not valid, whether we never issued it or it has ended. */
export const unknownCredential = 'Authentication failed: these agent credentials are unknown or no longer valid.'

/** The message for a login session that has ended. */
export const endedSession = 'Your session has expired. Please sign in again.'

/** A failure that the caller may see: `message` is a sentence for people. Rendered by middleware/failures.ts. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly retryAfter: number | undefined
  readonly refusal: RefusalFigures | undefined
  readonly causes: string[] | undefined
  readonly existing: string | undefined

  constructor(code: ErrorCode, message: string, { field, retryAfter, refusal, causes, existing, cause }: Options = {}) {
    super(message, { cause })
    this.code = code
    this.field = field
    this.retryAfter = retryAfter
    this.refusal = refusal
    this.causes = causes
    this.existing = existing
  }
}

/**
 * OAuth's own error codes: RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2, RFC 8628 section 3.5, RFC 8707
 * section 2, and of OpenID Connect those for requests that we do not support.
 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_grant'
  | 'access_denied'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'temporarily_unavailable'

/** An error of the /oauth endpoints. Clients distinguish them by `oauthCode`. */
export class OAuthError extends AppError {
  override name = 'OAuthError'
  readonly oauthCode: OAuthErrorCode

  constructor(oauthCode: OAuthErrorCode, description: string) {
    super(oauthCode === 'invalid_client' ? 'unauthenticated' : 'invalid_input', description)
    this.oauthCode = oauthCode
  }
}
