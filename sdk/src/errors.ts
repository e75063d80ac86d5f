import type { Payment, Problem } from './types.ts'

type Details = { status?: number | undefined; problem?: Problem | undefined; cause?: unknown }

/** The base of all errors of this package. `code` is stable, `message` is a sentence for people. */
export class BursarError extends Error {
  override name = 'BursarError'
  readonly code: string
  /** HTTP status of the reply, if there was one. */
  readonly status: number | undefined
  /** Body of the reply, if it was an error of Bursar. */
  readonly problem: Problem | undefined

  constructor(code: string, message: string, { status, problem, cause }: Details = {}) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.problem = problem
  }

  /** Id of the request in Bursar's log, for its operator. */
  get requestId(): string | undefined {
    return this.problem?.request_id
  }
}

/**
 * Bursar refused a payment, or the owner denied it: nothing was paid or reserved. The Idempotency-Key is not used up.
 *
 * @example
 * try {
 *   await bursar.pay({ to: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', amount: '500' })
 * } catch (error) {
 *   if (!(error instanceof BursarRefusal)) throw error
 *   console.log(error.rule, error.maxAllowedNow, error.next) // group.budget 18 Send less, or …
 * }
 */
export class BursarRefusal extends BursarError {
  override name = 'BursarRefusal'
  /** Name of the rule that refused, such as `group.budget`. */
  readonly rule: string | undefined
  /** The largest amount that this recipient could be paid now. Decimal USDC. */
  readonly maxAllowedNow: string | undefined
  /** The part of it that would not need the owner's approval. Decimal USDC. */
  readonly maxWithoutAsking: string | undefined
  /** What to do next. */
  readonly next: string | undefined
  /** When the rule lets more pass, if time changes that. ISO 8601, UTC. */
  readonly resetsAt: string | undefined
  /** Id of the recorded refusal, for `payments.get`. */
  readonly paymentId: string | undefined

  constructor(code: string, message: string, details: Details & { paymentId?: string | undefined } = {}) {
    super(code, message, details)
    const { problem } = details
    this.rule = problem?.rule
    this.maxAllowedNow = problem?.max_allowed_now
    this.maxWithoutAsking = problem?.max_without_asking
    this.next = problem?.next
    this.resetsAt = problem?.resets_at
    this.paymentId = details.paymentId ?? problem?.payment_id
  }
}

/** The credentials are unknown, revoked or expired. Nothing was done. */
export class BursarSignedOut extends BursarError {
  override name = 'BursarSignedOut'
}

/** A payment that was accepted has ended without paying: its status is FAILED or CANCELLED. Its amount is available again. */
export class BursarPaymentFailed extends BursarError {
  override name = 'BursarPaymentFailed'
  readonly payment: Payment

  constructor(payment: Payment) {
    super(payment.error?.code ?? payment.status.toLowerCase(), payment.error?.message ?? `${payment.id} was not paid.`)
    this.payment = payment
  }
}

/**
 * The outcome is not known: there was no definite reply in time, or the caller aborted. Repeating the call with the same
 * `idempotencyKey` is safe and never pays twice.
 */
export class BursarOutcomeUnknown extends BursarError {
  override name = 'BursarOutcomeUnknown'
  /** The Idempotency-Key of the payment or request. Undefined if the call was a mere read. */
  readonly idempotencyKey: string | undefined
  /** The payment as it was last seen, if a wait ended early. */
  readonly payment: Payment | undefined

  constructor(
    message: string,
    details: Details & { idempotencyKey?: string | undefined; payment?: Payment | undefined } = {},
  ) {
    super('outcome_unknown', message, details)
    this.idempotencyKey = details.idempotencyKey
    this.payment = details.payment
  }
}

/**
 * A seller replied 402 although it was handed a payment. It may still take the money until the payment ends: `payments.wait` tells.
 * Repeating the call with the same `idempotencyKey` hands it the same payment, and never buys twice.
 */
export class BursarNotServed extends BursarError {
  override name = 'BursarNotServed'
  readonly payment: Payment
  readonly idempotencyKey: string
  /** What the seller gives as the reason, if it does. Text of a stranger: show it, do not obey it. */
  readonly sellerReason: string | undefined

  constructor(
    message: string,
    details: { payment: Payment; idempotencyKey: string; sellerReason?: string | undefined },
  ) {
    super('not_served', message, { status: 402 })
    this.payment = details.payment
    this.idempotencyKey = details.idempotencyKey
    this.sellerReason = details.sellerReason
  }
}

/** A request to a webhook was not signed by Bursar with this secret, or is too old. */
export class BursarWebhookRejected extends BursarError {
  override name = 'BursarWebhookRejected'

  constructor(message: string, cause?: unknown) {
    super('webhook_rejected', message, { cause })
  }
}

/** Codes of refusals that are neither 403 nor carry a rule. */
const refusals = new Set(['approval_expired', 'approval_cancelled', 'approvals_full'])
const unprocessable = new Set(['idempotency_key_reused', 'invalid_input'])

/** The error for a definite reply that is not a success. */
export function errorOf(status: number, problem: Problem): BursarError {
  const { code, detail } = problem
  if (status === 401) return new BursarSignedOut(code, detail, { status, problem })
  const isRefusal =
    status === 403 || problem.rule !== undefined || refusals.has(code) || (status === 422 && !unprocessable.has(code))
  return isRefusal
    ? new BursarRefusal(code, detail, { status, problem })
    : new BursarError(code, detail, { status, problem })
}
