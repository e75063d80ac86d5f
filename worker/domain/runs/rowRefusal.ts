import type { RefusalCode } from '../refusal.ts'

/**
 * What happens to a row of a run that cannot be paid now. It has failed for good if its own recipient or amount is refused;
 * everything else (a pause, a stop, a session key, a node, a limit) waits and is shown. With `fields`, only a refusal of one
 * of these inputs is about the row.
 *
 * A caller's code that is missing here does not compile, so each new code has to be put on one side.
 */
type Outcome = 'fails' | 'waits' | { fields: readonly string[] }

const ofPolicies = {
  agent_disabled: 'waits',
  insufficient_scope: 'waits',
  recipient_not_allowed: 'fails',
  contact_changed: 'fails',
  payment_limit_exceeded: 'waits',
  budget_exceeded: 'waits',
  unclaimed_limit_exceeded: 'waits',
  policy_limit_exceeded: 'waits',
  policy_refused: 'waits',
  policy_unknown: 'waits',
  wallet_not_ready: 'waits',
  session_key_expired: 'waits',
  session_limit_exceeded: 'waits',
  insufficient_balance: 'waits',
  purchases_used_up: 'waits',
} as const satisfies Record<RefusalCode, Outcome>

export const rowOutcomes = {
  ...ofPolicies,
  /** The wallet itself, one of our contracts, an address without a key, a payout's address, or an amount below the minimum. */
  invalid_input: { fields: ['toAddress', 'amount'] },
  /** A number that this service sends no text messages to. */
  unprocessable: { fields: ['recipientPhone'] },
  recipient_blocked: 'fails',
  recipient_screened: 'fails',
  unauthenticated: 'waits',
  forbidden: 'waits',
  not_found: 'waits',
  method_not_allowed: 'waits',
  conflict: 'waits',
  same_run: 'waits',
  gone: 'waits',
  payload_too_large: 'waits',
  misdirected_request: 'waits',
  idempotency_key_reused: 'waits',
  contact_limit: 'waits',
  wrong_passcode: 'waits',
  account_suspended: 'waits',
  approval_denied: 'waits',
  approval_expired: 'waits',
  approval_cancelled: 'waits',
  approvals_full: 'waits',
  approval_refused: 'waits',
  password_required: 'waits',
  second_person_required: 'waits',
  owner_must_sign: 'waits',
  unsupported_payment: 'waits',
  max_amount_exceeded: 'waits',
  rate_limited: 'waits',
  payment_rate_exceeded: 'waits',
  queue_full: 'waits',
  gas_allowance_exceeded: 'waits',
  message_limit: 'waits',
  internal: 'waits',
  upstream_unavailable: 'waits',
  unavailable: 'waits',
  screening_unavailable: 'waits',
  service_updating: 'waits',
  account_restoring: 'waits',
  payments_paused: 'waits',
} as const satisfies Record<string, Outcome>

/** All codes that a payment can be refused with (`ErrorCode` of worker/errors.ts). */
export type RowRefusalCode = keyof typeof rowOutcomes

/** Whether the row has failed for good. `field`: the input at fault. */
export function failsRow({ code, field }: { code: RowRefusalCode; field?: string | undefined }): boolean {
  const outcome: Outcome = rowOutcomes[code]
  if (typeof outcome === 'string') return outcome === 'fails'
  return field !== undefined && outcome.fields.includes(field)
}
