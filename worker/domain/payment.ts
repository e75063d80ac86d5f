import { microUsdc } from './money.ts'

/** Smallest payout, 0.10 USDC: each costs us about 160,000 gas (threats.md B5). */
export const leastPayout = microUsdc(100_000n)
export const leastPayoutText = 'A payout must be at least 0.10 USDC'

/** Life cycles as unions with one guarded transition function each; terminal states have no way out (I5). */

export type PaymentStatus =
  | 'QUEUED'
  | 'PROCESSING'
  | 'PENDING'
  | 'CONFIRMED'
  | 'FAILED'
  | 'CANCELLED'
  | 'POLICY_REJECTED'
  | 'VALIDATION_FAILED'
export type PaymentEvent =
  | 'signed'
  /** The nonce log with our Transfer is deep enough (a send). */
  | 'paid'
  /** The same, for a payout's funding: the money now waits at the payout's address. */
  | 'funded'
  | 'withdrawn'
  | 'reclaimed'
  /** Proven dead at a finalized block, or never signed. */
  | 'dead'
  /** Taken back by who asked for it, before it was signed. */
  | 'cancelled'

const paymentNext: Record<PaymentStatus, Partial<Record<PaymentEvent, PaymentStatus>>> = {
  // A signed row whose status write was lost cannot exist (same transaction), so QUEUED is never paid.
  QUEUED: { signed: 'PROCESSING', dead: 'FAILED', cancelled: 'CANCELLED' },
  PROCESSING: { signed: 'PROCESSING', paid: 'CONFIRMED', funded: 'PENDING', dead: 'FAILED' },
  PENDING: { withdrawn: 'CONFIRMED', reclaimed: 'CANCELLED' },
  CONFIRMED: {},
  FAILED: {},
  CANCELLED: {},
  POLICY_REJECTED: {},
  VALIDATION_FAILED: {},
}

/** The status after `event`, or null: the event does not apply and nothing may change. */
export const nextPayment = (status: PaymentStatus, event: PaymentEvent): PaymentStatus | null =>
  paymentNext[status][event] ?? null

export type PayoutStatus = 'CREATING' | 'CREATED' | 'CLAIMING' | 'RECLAIMING' | 'WITHDRAWN' | 'RECLAIMED' | 'FAILED'
export type PayoutEvent =
  /** Funding and announcement are both confirmed. */
  | 'ready'
  | 'claim'
  | 'reclaim'
  /** The claim's or reclaim's deadline is final and nothing moved. */
  | 'lapsed'
  | 'withdrawn'
  | 'reclaimed'
  | 'dead'

const payoutNext: Record<PayoutStatus, Partial<Record<PayoutEvent, PayoutStatus>>> = {
  CREATING: { ready: 'CREATED', dead: 'FAILED', withdrawn: 'WITHDRAWN', reclaimed: 'RECLAIMED' },
  // The chain may settle a payout at any time: its owner can reclaim without us.
  CREATED: { claim: 'CLAIMING', reclaim: 'RECLAIMING', withdrawn: 'WITHDRAWN', reclaimed: 'RECLAIMED' },
  CLAIMING: { lapsed: 'CREATED', withdrawn: 'WITHDRAWN', reclaimed: 'RECLAIMED' },
  RECLAIMING: { lapsed: 'CREATED', withdrawn: 'WITHDRAWN', reclaimed: 'RECLAIMED' },
  WITHDRAWN: {},
  RECLAIMED: {},
  FAILED: {},
}

/** The status after `event`, or null: the event does not apply and nothing may change. */
export const nextPayout = (status: PayoutStatus, event: PayoutEvent): PayoutStatus | null =>
  payoutNext[status][event] ?? null

/** The claim side shows what it needs to: a reclaimed payout is CANCELLED, a payout being reclaimed is not offered. */
export function claimStatus(status: PayoutStatus): 'CREATING' | 'CREATED' | 'CLAIMING' | 'WITHDRAWN' | 'CANCELLED' {
  switch (status) {
    case 'CREATING':
    case 'CREATED':
    case 'CLAIMING':
    case 'WITHDRAWN':
      return status
    case 'RECLAIMING':
    case 'RECLAIMED':
    case 'FAILED':
      return 'CANCELLED'
  }
}
