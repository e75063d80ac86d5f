import { type MicroUsdc, min, saturatingSub } from './money.ts'
import { maxAllowedNow, type WalletFunds } from './policy.ts'

/** What a wallet's owner may pay from it now, in micro-USDC. */
export type Spendable = {
  now: MicroUsdc
  /** What keeps it from being more. */
  limitedBy: 'balance' | 'session'
  /** Already in the balance, but not in enough blocks yet to be spent. */
  arriving: MicroUsdc
}

/**
 * `booked`: the balance by our books, held money included; `balance`: on chain. A payment that has left and is not booked
 * yet hides as much of what is arriving, for a block or two. `at` (ms) is the chain's time.
 */
export function spendableOf(funds: WalletFunds, booked: bigint, balance: MicroUsdc, at: number): Spendable {
  const now = min(maxAllowedNow(null, funds, at, { isPayout: false, at }), balance)
  const { session, available } = funds
  const sessionLeft = session && at <= session.validUntil ? session.limit - session.spent - session.held : 0n
  return {
    now,
    limitedBy: sessionLeft < min(available, balance) ? 'session' : 'balance',
    arriving: saturatingSub(balance, booked),
  }
}
