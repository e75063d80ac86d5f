import type { PaymentStatus } from '#domain/payment.ts'

/**
 * The statuses that sums over payments name. Waiting and refused payments are rows of the same table and reserve nothing,
 * so every sum states what it counts (a test finds those that do not).
 */
const lists = {
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
  Object.entries(lists).map(([name, statuses]) => [name, sqlOf(statuses)]),
) as Record<keyof typeof lists, string>

/** SQL: payouts that have not ended. Their money is in escrow once it has arrived there. */
export const isOpenPayout = "status IN ('CREATING','CREATED','CLAIMING','RECLAIMING')"

/** SQL: the time by which lists sort a payment. */
export const listedAt = 'coalesce(accepted_at, created_at)'

/** SQL: accepted or refused by the rules. Payments that wait for approval, or were not approved, are in no statistics. */
export const isDecided = '(accepted_at IS NOT NULL OR refusal IS NOT NULL)'
