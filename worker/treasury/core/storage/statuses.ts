import type { PaymentStatus } from '#domain/payment.ts'

/**
 * The statuses that sums over payments name. Waiting and refused payments are rows of the same table and reserve nothing,
 * so every sum states what it counts (a test finds those that do not).
 */
export const statuses = {
  /** Reserved and not settled. */
  held: ['QUEUED', 'PROCESSING', 'PENDING'],
  /** Moved its amount, or still may. */
  alive: ['QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED'],
  /** Not on chain yet. */
  unsettled: ['QUEUED', 'PROCESSING'],
  refused: ['POLICY_REJECTED', 'VALIDATION_FAILED'],
} as const satisfies Record<string, readonly PaymentStatus[]>

const sqlOf = (statuses: readonly string[]) => `(${statuses.map((status) => `'${status}'`)})`

/** Each list for SQL: `status IN ${statusIn.alive}`. */
export const statusIn = Object.fromEntries(
  Object.entries(statuses).map(([name, statuses]) => [name, sqlOf(statuses)]),
) as Record<keyof typeof statuses, string>

export const openPayoutStatuses = ['CREATING', 'CREATED', 'CLAIMING', 'RECLAIMING'] as const
/** SQL: payouts that have not ended. Their money is in escrow once it has arrived there. */
export const isOpenPayout = `status IN ${sqlOf(openPayoutStatuses)}`

/** SQL: actions of a wallet that are signed or about to be signed. Offers do not count: most are never signed. */
export const isOpenAction = "status IN ('draining','sent')"

/** SQL: the time by which lists sort a payment. */
export const listedAt = 'coalesce(accepted_at, created_at)'
