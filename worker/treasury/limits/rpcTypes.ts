export type PaymentRateName = 'agent_payments' | 'user_payments'

/** A rate that applies to the caller. `limit` is the burst, which is fully available again after `resetSeconds`. */
export type RateState = {
  name: PaymentRateName
  limit: number
  remaining: number
  windowSeconds: number
  resetSeconds: number
}

/** Gas units that this service pays for the account today (UTC). `remaining` is the caller's; `resetsAt` is ISO 8601. */
export type GasAllowance = { limit: number; used: number; remaining: number; resetsAt: string }
