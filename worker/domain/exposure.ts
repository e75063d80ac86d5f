import { type MicroUsdc, microUsdc, min, saturatingSub, zeroUsdc } from './money.ts'

/**
 * The most that can happen to an owner's money without the owner's consent, in micro-USDC: the non-custodial promise in
 * figures. `canLeave` includes payments in flight, since they have not left yet.
 */
export type Exposure = {
  /** The most that can leave now without the owner. */
  canLeave: MicroUsdc
  /** The part of `canLeave` that sends may use. */
  canSend: MicroUsdc
  /** The part of `canSend` that agents' budgets allow for new payments. */
  agents: MicroUsdc
  /** The amount that has already left, in unclaimed payouts. */
  inPayouts: MicroUsdc
  /** Whether Bursar can renew session keys without the owner, which allows up to `providerDaily` more per day. */
  canRenew: boolean
}

/** The contract's cap on what the provider may grant one wallet in a UTC day. */
export const providerDaily = microUsdc(10_000_000_000n) // 10,000 USDC

export type WalletPower = {
  /** Balance on chain. */
  balance: MicroUsdc
  /** The part of the balance that is reserved by payments in flight. */
  held: MicroUsdc
  /** What our key may still send. Null if everything (an imported wallet), zero without a valid session. */
  sendsLeft: MicroUsdc | null
  /** What our key may still pay by purchases, as far as the wallet knows; zero for an imported wallet. */
  purchasesLeft: MicroUsdc
  inPayouts: MicroUsdc
  canRenew: boolean
  /** `left`: see `budgetLeft`. `active`: an agent could spend it now (not paused, has an agent, has a payment scope). */
  groups: readonly { left: MicroUsdc | null; active: boolean }[]
}

/**
 * `canLeave` is the lower of the balance and what the session's sends and purchases may still use; `agents` is what budgets
 * allow of it by sends, beyond held amounts.
 */
export function exposureOf(wallet: WalletPower): Exposure {
  const canSend = min(wallet.balance, wallet.sendsLeft ?? wallet.balance)
  const canLeave = min(wallet.balance, microUsdc(canSend + wallet.purchasesLeft))
  const free = saturatingSub(canSend, wallet.held)
  let open: MicroUsdc = zeroUsdc
  for (const { left, active } of wallet.groups) if (active) open = microUsdc(open + min(left ?? free, free))
  return { canLeave, canSend, agents: min(open, free), inPayouts: wallet.inPayouts, canRenew: wallet.canRenew }
}

/** The sum over an account's wallets. Null if any is unknown, because an incomplete sum would understate the risk. */
export function accountExposure(wallets: readonly (Exposure | null)[]): Exposure | null {
  const none = { canLeave: zeroUsdc, canSend: zeroUsdc, agents: zeroUsdc, inPayouts: zeroUsdc }
  const sum: Exposure = { ...none, canRenew: false }
  for (const wallet of wallets) {
    if (wallet === null) return null
    sum.canLeave = microUsdc(sum.canLeave + wallet.canLeave)
    sum.canSend = microUsdc(sum.canSend + wallet.canSend)
    sum.agents = microUsdc(sum.agents + wallet.agents)
    sum.inPayouts = microUsdc(sum.inPayouts + wallet.inPayouts)
    sum.canRenew ||= wallet.canRenew
  }
  return sum
}

/** The most that can leave once a new session with `limit` has replaced the current one. */
export const canLeaveAfterRotation = (balance: MicroUsdc, limit: MicroUsdc): MicroUsdc => min(balance, limit)
