import { microUsdc } from './money.ts'

/** The smallest payout. Each costs us about 160,000 gas, so smaller ones would be a cheap way to drain our gas. */
export const minPayout = microUsdc(100_000n) // 0.10 USDC
export const minPayoutText = 'A payout must be at least 0.10 USDC'

/** Life cycles as unions, each with one guarded transition function. No event leaves a final state. */

export type PaymentStatus =
  /** Waits for the owner's approval. Holds nothing. */
  | 'PENDING_APPROVAL'
  | 'QUEUED'
  | 'PROCESSING'
  | 'PENDING'
  | 'CONFIRMED'
  | 'FAILED'
  | 'CANCELLED'
  | 'POLICY_REJECTED'
  | 'VALIDATION_FAILED'
export type PaymentEvent =
  /** The owner approved it, and the rules of that moment accepted it. */
  | 'approved'
  /** The owner denied it, or did not decide in time. */
  | 'rejected'
  | 'signed'
  /** The nonce's log with our Transfer is deep enough (a send). */
  | 'paid'
  /** The same for a payout's funding: the money is now at the payout's address. */
  | 'funded'
  | 'withdrawn'
  | 'reclaimed'
  /** Proven dead at a finalized block, or never signed. */
  | 'dead'
  /** Cancelled by its creator before it was signed. */
  | 'cancelled'

const paymentNext: Record<PaymentStatus, Partial<Record<PaymentEvent, PaymentStatus>>> = {
  PENDING_APPROVAL: { approved: 'QUEUED', rejected: 'POLICY_REJECTED', cancelled: 'CANCELLED' },
  // Signing and the status change are one transaction, so a QUEUED payment cannot be paid.
  QUEUED: { signed: 'PROCESSING', dead: 'FAILED', cancelled: 'CANCELLED' },
  PROCESSING: { signed: 'PROCESSING', paid: 'CONFIRMED', funded: 'PENDING', dead: 'FAILED' },
  PENDING: { withdrawn: 'CONFIRMED', reclaimed: 'CANCELLED' },
  CONFIRMED: {},
  FAILED: {},
  CANCELLED: {},
  POLICY_REJECTED: {},
  VALIDATION_FAILED: {},
}

/** The status after `event`, or null if the event does not apply; then nothing may change. */
export const nextPayment = (status: PaymentStatus, event: PaymentEvent): PaymentStatus | null =>
  paymentNext[status][event] ?? null

/** Events of a payment that are seen on chain. A reorganisation may undo them until their block is final. */
export type BookedEvent = 'paid' | 'funded' | 'withdrawn' | 'reclaimed'

const undone: Record<BookedEvent, [status: PaymentStatus, before: PaymentStatus]> = {
  paid: ['CONFIRMED', 'PROCESSING'],
  funded: ['PENDING', 'PROCESSING'],
  withdrawn: ['CONFIRMED', 'PENDING'],
  reclaimed: ['CANCELLED', 'PENDING'],
}

/**
 * The status that the payment had before `event` was booked, or null if that is not its last event. Used when the event's
 * block has left the chain, which is the only way out of a final state. What was proven at a finalized block is never
 * undone.
 */
export const paymentBefore = (status: PaymentStatus, event: BookedEvent): PaymentStatus | null =>
  undone[event][0] === status ? undone[event][1] : null

export type PayoutStatus = 'CREATING' | 'CREATED' | 'CLAIMING' | 'RECLAIMING' | 'WITHDRAWN' | 'RECLAIMED' | 'FAILED'
export type PayoutEvent =
  /** Funding and announcement are both confirmed. */
  | 'ready'
  | 'claim'
  | 'reclaim'
  /** The deadline of the claim or reclaim has passed at a finalized block and nothing moved. */
  | 'lapsed'
  /** The same, for a payout whose funding or announcement is not on chain. */
  | 'lapsed_unready'
  /** A reorganisation removed the funding or the announcement. */
  | 'unready'
  | 'withdrawn'
  | 'reclaimed'
  | 'dead'

const payoutNext: Record<PayoutStatus, Partial<Record<PayoutEvent, PayoutStatus>>> = {
  // `reclaim` only for a funded payout that expired without its announcement.
  CREATING: { ready: 'CREATED', reclaim: 'RECLAIMING', dead: 'FAILED', withdrawn: 'WITHDRAWN', reclaimed: 'RECLAIMED' },
  // The chain may settle a payout at any time, since its owner can reclaim it without us.
  CREATED: {
    claim: 'CLAIMING',
    reclaim: 'RECLAIMING',
    withdrawn: 'WITHDRAWN',
    reclaimed: 'RECLAIMED',
    unready: 'CREATING',
  },
  // `dead`: the funding was undone while the payout was being claimed or reclaimed, and never came back.
  CLAIMING: {
    lapsed: 'CREATED',
    lapsed_unready: 'CREATING',
    withdrawn: 'WITHDRAWN',
    reclaimed: 'RECLAIMED',
    dead: 'FAILED',
  },
  RECLAIMING: {
    lapsed: 'CREATED',
    lapsed_unready: 'CREATING',
    withdrawn: 'WITHDRAWN',
    reclaimed: 'RECLAIMED',
    dead: 'FAILED',
  },
  WITHDRAWN: {},
  RECLAIMED: {},
  FAILED: {},
}

/** The status after `event`, or null if the event does not apply; then nothing may change. */
export const nextPayout = (status: PayoutStatus, event: PayoutEvent): PayoutStatus | null =>
  payoutNext[status][event] ?? null

export type ClaimStatus = 'CREATING' | 'CREATED' | 'CLAIMING' | 'WITHDRAWN' | 'CANCELLED' | 'FAILED'

/** The status that the recipient sees. A payout that is (being) reclaimed is CANCELLED; one never funded is FAILED. */
export function claimStatus(status: PayoutStatus): ClaimStatus {
  switch (status) {
    case 'CREATING':
    case 'CREATED':
    case 'CLAIMING':
    case 'WITHDRAWN':
    case 'FAILED':
      return status
    case 'RECLAIMING':
    case 'RECLAIMED':
      return 'CANCELLED'
  }
}
