import { type MicroUsdc, min, saturatingSub } from './money.ts'
import { mostAllowed, type WalletFunds } from './policy.ts'

/** What a wallet's owner may pay from it now, in micro-USDC. */
type Spendable = {
  now: MicroUsdc
  /** What limits `now`. */
  limitedBy: 'balance' | 'session'
  /** Already in the balance, but not confirmed by enough blocks to be spent. */
  arriving: MicroUsdc
}

/**
 * `booked` is the balance in our books including held money, `balance` the one on chain. A payment that has left but is not
 * booked yet hides the same amount of arriving money for a block or two. `at` (ms) is the chain's time.
 */
export function spendableOf(funds: WalletFunds, booked: bigint, balance: MicroUsdc, at: number): Spendable {
  const now = min(
    mostAllowed(null, funds, at, { isPayout: false, amount: null, at, used: {}, recipient: null }).now,
    balance,
  )
  const { session, available } = funds
  const sessionLeft = session && at <= session.validUntil ? session.limit - session.spent - session.held : 0n
  return {
    now,
    limitedBy: sessionLeft < min(available, balance) ? 'session' : 'balance',
    arriving: saturatingSub(balance, booked),
  }
}
