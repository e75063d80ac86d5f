import { ApiError, messageOf } from './apiError.ts'

/** Messages for actions that failed for an unknown reason. */
export const failures = {
  payout: 'Failed to create payout. Please try again or contact support.',
  sendPayout: ['Failed to create escrow', 'Failed to create escrow. Please try again or contact support.'],
  onramp: 'Failed to create onramp session. Please try again or contact support.',
  contact: 'Failed to save contact. Please try again or contact support.',
} as const

/**
 * The server's message. If it gave none: `failed` when it refused or failed, `refused` when the reply reports a failure
 * under a success status. `broken` when the fault is in this program.
 */
export const failureOf = (error: unknown, failed: string, broken: string, refused = broken): string =>
  error instanceof ApiError ? messageOf(error, failed, refused) : broken
