import type { PaymentRow } from './storage/rows.ts'

/**
 * Whose shares of slots, gas and messages a payment uses: an agent's (its id), those of all payout runs of the account together,
 * or the owner's (null).
 */
export type Spender = string | null

export const runs = 'runs'

export const spenderOf = ({ agent_id, run_id }: Pick<PaymentRow, 'agent_id' | 'run_id'>): Spender =>
  run_id === null ? agent_id : runs

/** SQL: the same of a row of `payment`. */
export const spenderColumn = `iif(run_id IS NULL, agent_id, '${runs}')`

/** SQL: payments of one spender, with its values. */
export const paymentsOf = (spender: Spender): [condition: string, ...values: (string | null)[]] =>
  spender === runs ? ['agent_id IS NULL AND run_id IS NOT NULL'] : ['agent_id IS ? AND run_id IS NULL', spender]
