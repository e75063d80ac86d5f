import { BursarError, BursarPaymentFailed, BursarRefusal, errorOf } from './errors.ts'
import type { Payment, Problem } from './types.ts'

/** The body of a success, or the error that the reply means. */
export function unwrap<T>(data: T | undefined, error: unknown, { status }: Response): T {
  if (data !== undefined) return data
  throw error ? errorOf(status, error as Problem) : new BursarError('unexpected_reply', `Empty reply (${status}).`)
}

/** Whether an earlier call with the same Idempotency-Key had created what the reply shows. */
export const isReplayed = ({ headers }: Response): boolean => headers.get('idempotent-replayed') === 'true'

const finalStatuses: readonly Payment['status'][] = [
  'CONFIRMED',
  'FAILED',
  'POLICY_REJECTED',
  'VALIDATION_FAILED',
  'CANCELLED',
]
export const isFinal = ({ status }: Payment): boolean => finalStatuses.includes(status)

/** Throws BursarRefusal or BursarPaymentFailed for a payment that has ended without paying. */
export function paidOrThrow<P extends Payment>(payment: P): P {
  if (!isFinal(payment) || payment.status === 'CONFIRMED') return payment
  if (payment.status !== 'POLICY_REJECTED') throw new BursarPaymentFailed(payment)
  const { code, message } = payment.error ?? { code: 'policy_refused', message: `${payment.id} was refused.` }
  throw new BursarRefusal(code, message, { paymentId: payment.id })
}
