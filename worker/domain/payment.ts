import { microUsdc } from './money.ts'
import { dayMs } from './time.ts'

/** The smallest payout. Each costs us about 160,000 gas, so smaller ones would be a cheap way to drain our gas. */
export const minPayout = microUsdc(100_000n) // 0.10 USDC
export const minPayoutText = 'A payout must be at least 0.10 USDC'

/**
 * A payment. The chain decides how it ends, unless it was never signed:
 *
 *     requested → PENDING_APPROVAL    a rule asks the owner; it holds nothing
 *     PENDING_APPROVAL → QUEUED       `approved`, and the rules of that moment accept it; PROCESSING if signed at once
 *     PENDING_APPROVAL → POLICY_REJECTED  `rejected`: the owner denied it, or did not decide in time
 *     PENDING_APPROVAL → CANCELLED    `cancelled` by its agent, or with its agent or group
 *     accepted → QUEUED, PROCESSING   PROCESSING if it could be signed at once. The Relayer submits it, or of a purchase the
 *                                     seller, to whom its agent gives the signature
 *     QUEUED → PROCESSING             `signed` by the settle alarm, once it has the key and a slot; a purchase when its
 *                                     agent asks for it again
 *     QUEUED → CANCELLED              `cancelled` by its creator
 *     QUEUED → FAILED                 `dead`: not signed in time, or its agent, group, wallet or account was stopped
 *     PROCESSING → PROCESSING         `signed` again under its nonce, because the deadline is near (not a purchase)
 *     PROCESSING → CONFIRMED          `paid`: the log of its nonce with our Transfer is deep enough (not a payout)
 *     PROCESSING → PENDING            `funded`: the same for a payout, whose money is now at the payout's address
 *     PROCESSING → FAILED             `dead`: a finalized block proves that no signature can be executed any more
 *     PENDING → CONFIRMED             `withdrawn`: the recipient has the payout
 *     PENDING → CANCELLED             `reclaimed`: the payer has the payout back
 *
 * A refused payment is POLICY_REJECTED from the start; VALIDATION_FAILED is a name of the API that nothing produces. No
 * event leaves a final state, but a reorganization may undo one (`paymentBefore`).
 */
export const paymentStatuses = [
  ...(['PENDING_APPROVAL', 'QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED', 'FAILED', 'CANCELLED'] as const),
  ...(['POLICY_REJECTED', 'VALIDATION_FAILED'] as const),
]
export type PaymentStatus = (typeof paymentStatuses)[number]
export type PaymentEvent = 'approved' | 'rejected' | 'signed' | BookedEvent | 'dead' | 'cancelled'

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

/** Events of a payment that are seen on chain. A reorganization may undo them until their block is final. */
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

/**
 * A payout, whose funding is the payment with the same id:
 *
 *     CREATING → CREATED      `ready`: funding and announcement are both confirmed; link and code are sent
 *     CREATING → FAILED       `dead`: its payment failed or was cancelled
 *     CREATED → CREATING      `unready`: a reorganization removed the funding or the announcement
 *     CREATED → CLAIMING      `claim` by the recipient, with link and code
 *     CREATED → RECLAIMING    `reclaim` by the sender, or by the Treasury after expiry
 *     CREATING → RECLAIMING   `reclaim` by the Treasury: it expired, funded but never announced
 *     CLAIMING, RECLAIMING →
 *       CREATED               `lapsed`: its deadline has passed at a finalized block and nothing moved
 *       CREATING              `lapsed_unready`: the same, while funding or announcement is not on chain
 *       FAILED                `dead`: a reorganization undid the funding, which never came back
 *     any of these →
 *       WITHDRAWN             `withdrawn`: the chain shows that anyone but the payer received the money
 *       RECLAIMED             `reclaimed`: the chain shows that the payer received it, who can reclaim it without us
 *
 * Claim and reclaim exclude each other. A reorganization may undo WITHDRAWN and RECLAIMED until their block is final.
 */
export type PayoutStatus = 'CREATING' | 'CREATED' | 'CLAIMING' | 'RECLAIMING' | 'WITHDRAWN' | 'RECLAIMED' | 'FAILED'
export type PayoutEvent =
  | 'ready'
  | 'claim'
  | 'reclaim'
  | 'lapsed'
  | 'lapsed_unready'
  | 'unready'
  | 'withdrawn'
  | 'reclaimed'
  | 'dead'

const payoutNext: Record<PayoutStatus, Partial<Record<PayoutEvent, PayoutStatus>>> = {
  CREATING: { ready: 'CREATED', reclaim: 'RECLAIMING', dead: 'FAILED', withdrawn: 'WITHDRAWN', reclaimed: 'RECLAIMED' },
  CREATED: {
    claim: 'CLAIMING',
    reclaim: 'RECLAIMING',
    withdrawn: 'WITHDRAWN',
    reclaimed: 'RECLAIMED',
    unready: 'CREATING',
  },
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

/** For how many days a payout can be claimed: the choices and the default. */
export const expiryDays = [1, 7, 30, 90] as const
export type ExpiryDays = (typeof expiryDays)[number]
export const defaultExpiryDays: ExpiryDays = 30

/** How long before a payout expires its recipient is reminded. */
export const remindBeforeMs = [3 * dayMs, dayMs] as const
/** How many of the reminders of a payout that expires at `expiresAt` (ms) are due at `time` (ms). */
export const remindersDue = (expiresAt: number, time: number): number =>
  remindBeforeMs.filter((beforeMs) => expiresAt - beforeMs <= time).length
