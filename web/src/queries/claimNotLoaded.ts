/**
 * Messages if a payout cannot be loaded and the server gives no reason: the call failed, or the reply reports a failure under a
 * success status. In a file of their own, because the claim page loads them only then.
 */
export const claimNotLoaded = ['Failed to load payout details', 'Failed to load escrow details'] as const
