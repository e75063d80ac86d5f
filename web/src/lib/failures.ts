import { ApiError, messageOf } from './apiError.ts'

/** What a screen says when an act has failed and nobody can say why. */
export const failures = {
  payout: 'Failed to create payout. Please try again or contact support.',
  escrow: 'Failed to create escrow. Please try again or contact support.',
  onramp: 'Failed to create onramp session. Please try again or contact support.',
  contact: 'Failed to save contact. Please try again or contact support.',
}

/**
 * The server's sentence. Without one: `failed` when it refused or failed, `refused` when it replied with a success status
 * that the call did not succeed, `broken` when the fault is in this program.
 */
export const failureOf = (error: unknown, failed: string, broken: string, refused = broken): string =>
  error instanceof ApiError ? messageOf(error, failed, refused) : broken
