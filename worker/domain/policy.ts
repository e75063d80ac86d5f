import type { ApprovalRules } from './approval.ts'
import { formatUsdcText, type MicroUsdc, min, saturatingSub, zeroUsdc } from './money.ts'
import { minPayout } from './payment.ts'
import { type PeriodBudget, periodNow } from './policyPeriod.ts'
import type { Scope } from './scopes.ts'
import { isoOf } from './time.ts'

/** Limit (null if there is none), spent and held of one budget. */
export type Budget = { limit: MicroUsdc | null; spent: MicroUsdc; held: MicroUsdc }

/** limit − spent − held, at least zero. Null without a limit. */
export function remainingOf(budget: Budget): MicroUsdc | null {
  return budget.limit === null ? null : saturatingSub(budget.limit, budget.spent + budget.held)
}

/** The group's rules at the moment of decision. Null means that there is no such limit. */
export type GroupPolicy = {
  name: string
  budget: Budget
  scopes: readonly Scope[]
  paused: boolean
  agentPaused: boolean
  accountPaused: boolean
  /** Per-payment limit. */
  maxPayment: MicroUsdc | null
  period: PeriodBudget | null
  /** Sum of the group's unclaimed payouts, and its limit. */
  unclaimed: { open: MicroUsdc; limit: MicroUsdc | null }
  /** The only email domains and country codes that payouts may go to. Null if any. */
  emailDomains: readonly string[] | null
  phoneCodes: readonly string[] | null
  /** When payments within all limits still need the owner's approval. */
  approvals: ApprovalRules
}
/** The paying wallet. `available` is the ledger's balance minus held amounts. */
export type WalletFunds = {
  available: MicroUsdc
  /** On chain, but not confirmed by enough blocks to be available; used in the text of a refusal. Missing if unknown. */
  arriving?: MicroUsdc
  status: 'deploying' | 'active' | 'failed' | 'deleted'
  halted: boolean
  paused: boolean
  session: (Budget & { limit: MicroUsdc /** ms */; validUntil: number }) | null
}
/** What limits depend on besides the amount. `at` (ms) determines the period that the payment counts toward. */
export type PaymentKind = { isPayout: boolean; at: number }

export type RefusalCode =
  | 'agent_disabled'
  | 'insufficient_scope'
  | 'recipient_not_allowed'
  | 'contact_changed'
  | 'payment_limit_exceeded'
  | 'budget_exceeded'
  | 'unclaimed_limit_exceeded'
  | 'wallet_not_ready'
  | 'session_key_expired'
  | 'session_limit_exceeded'
  | 'insufficient_balance'

/** Figures of the rule that refused the payment. */
type Figures = { limit: MicroUsdc | null; spent: MicroUsdc; held: MicroUsdc; remaining: MicroUsdc | null }

/** Names the rule, says what to do next, and has the figures that the decision was based on. */
export type Refusal = {
  code: RefusalCode
  rule: string
  message: string
  next: string
  figures: Figures | null
  /** When the rule's period ends (ms). Null for rules without a period. */
  resetsAt: number | null
  /** The largest amount that this recipient could be paid now; 0 if the refusal does not depend on the amount. */
  maxAllowedNow: MicroUsdc
}
export type Decision = { ok: true } | { ok: false; refusal: Refusal }

export const allow: Decision = { ok: true }

/** A refusal that no smaller amount would avoid. */
export const refuse = (code: RefusalCode, rule: string, message: string, next: string): Decision => ({
  ok: false,
  refusal: { code, rule, message, next, figures: null, resetsAt: null, maxAllowedNow: zeroUsdc },
})

/** A paused agent may not do anything, not even read. */
export function decideActive(group: Pick<GroupPolicy, 'name' | 'paused' | 'agentPaused' | 'accountPaused'>): Decision {
  if (group.agentPaused)
    return refuse('agent_disabled', 'agent.paused', 'This agent is paused.', 'Ask the owner to resume it.')
  if (group.paused)
    return refuse(
      'agent_disabled',
      'group.paused',
      `The policy group "${group.name}" is paused.`,
      'Ask the owner to resume it.',
    )
  if (group.accountPaused)
    return refuse(
      'agent_disabled',
      'account.paused',
      'All agents of this account are paused.',
      'Ask the owner to resume them.',
    )
  return allow
}

/** A limit that an amount must not exceed. */
type Bound = {
  left: MicroUsdc
  code: RefusalCode
  rule: string
  message: string
  next: string
  figures?: Figures
  resetsAt?: number
}

/** All limits that apply to a payment of this kind, in the order in which they refuse. */
function boundsOf(group: GroupPolicy | null, funds: WalletFunds, kind: PaymentKind): Bound[] {
  const bounds: Bound[] = group ? groupBounds(group, kind) : []
  const { session, available, arriving = zeroUsdc } = funds
  const sessionLeft = session ? saturatingSub(session.limit, session.spent + session.held) : zeroUsdc
  bounds.push({
    left: sessionLeft,
    code: 'session_limit_exceeded',
    rule: 'session.limit',
    message: `The wallet's session key has ${formatUsdcText(sessionLeft)} USDC left.`,
    next: 'Send less, or ask the owner to rotate the session key.',
    ...(session && { figures: figuresOf(session) }),
  })
  bounds.push({
    left: available,
    code: 'insufficient_balance',
    rule: 'wallet.balance',
    message:
      arriving === 0n
        ? `Insufficient balance: the wallet has ${formatUsdcText(available)} USDC available.`
        : `Insufficient balance: the wallet has ${formatUsdcText(available)} USDC available, and ${formatUsdcText(arriving)} USDC is arriving.`,
    next: arriving === 0n ? 'Add funds or send less.' : 'Try again in a few seconds, add funds, or send less.',
  })
  return bounds
}

function groupBounds(group: GroupPolicy, kind: PaymentKind): Bound[] {
  const bounds: Bound[] = []
  const { maxPayment, budget, period, unclaimed } = group
  if (maxPayment !== null)
    bounds.push({
      left: maxPayment,
      code: 'payment_limit_exceeded',
      rule: 'group.max_payment',
      message: `One payment may be at most ${formatUsdcText(maxPayment)} USDC.`,
      next: 'Send less, or ask the owner to raise the limit.',
    })
  const left = remainingOf(budget)
  if (left !== null)
    bounds.push({
      left,
      code: 'budget_exceeded',
      rule: 'group.budget',
      message: `The group's budget has ${formatUsdcText(left)} USDC left.`,
      next: 'Send less, or ask the owner to top up.',
      figures: figuresOf(budget),
    })
  if (period) {
    const { used, endAt } = periodNow(period, kind.at)
    const periodLeft = saturatingSub(period.limit, used)
    const resets = isoOf(endAt)
    bounds.push({
      left: periodLeft,
      code: 'budget_exceeded',
      rule: `group.budget_per_${period.period}`,
      message: `The group's budget for this ${period.period} has ${formatUsdcText(periodLeft)} USDC left.`,
      next: `Send less, wait until ${resets}, or ask the owner to raise the budget.`,
      // A period counts what was reserved in it, confirmed or not.
      figures: { limit: period.limit, spent: used, held: zeroUsdc, remaining: periodLeft },
      resetsAt: endAt,
    })
  }
  if (kind.isPayout && unclaimed.limit !== null) {
    const unclaimedLeft = saturatingSub(unclaimed.limit, unclaimed.open)
    bounds.push({
      left: unclaimedLeft,
      code: 'unclaimed_limit_exceeded',
      rule: 'group.max_unclaimed',
      message: `Unclaimed payouts may increase by at most ${formatUsdcText(unclaimedLeft)} USDC.`,
      next: 'Wait until a payout is claimed or reclaimed, or ask the owner to raise the limit.',
      figures: { limit: unclaimed.limit, spent: zeroUsdc, held: unclaimed.open, remaining: unclaimedLeft },
    })
  }
  return bounds
}

const figuresOf = (budget: Budget): Figures => ({ ...budget, remaining: remainingOf(budget) })

/** The refusal if the wallet cannot pay any amount, else null. `now` (ms) is the chain's time. */
function notReady(funds: WalletFunds, now: number): Decision | null {
  if (funds.paused)
    return refuse('wallet_not_ready', 'wallet.paused', 'The wallet is paused.', 'Ask the owner to resume it.')
  if (funds.status !== 'active' || funds.halted)
    return refuse(
      'wallet_not_ready',
      'wallet.status',
      'The wallet is not ready to pay yet.',
      'Try again when the wallet is active.',
    )
  if (!funds.session || now > funds.session.validUntil)
    return refuse(
      'session_key_expired',
      'session.valid_until',
      'The wallet’s session key is no longer valid.',
      'Ask the owner to rotate the session key.',
    )
  return null
}

/** The largest amount that group, session key and wallet allow; 0 if the wallet cannot pay. `now` as in decideAmount. */
export function maxAllowedNow(
  group: GroupPolicy | null,
  funds: WalletFunds,
  now: number,
  kind: PaymentKind,
): MicroUsdc {
  return notReady(funds, now) ? zeroUsdc : lowestOf(boundsOf(group, funds, kind), kind)
}

/** The lowest limit. Zero if it is below the smallest payout. */
function lowestOf(bounds: Bound[], kind: PaymentKind): MicroUsdc {
  const least = bounds.map((bound) => bound.left).reduce(min)
  return kind.isPayout && least < minPayout ? zeroUsdc : least
}

/**
 * Whether `amount` can be reserved now. Held money counts as spent, so that two payments never share a dollar. `now` (ms)
 * is the chain's time, which decides whether a session key is valid; periods use our own time, `kind.at`.
 */
export function decideAmount(
  group: GroupPolicy | null,
  funds: WalletFunds,
  amount: MicroUsdc,
  now: number,
  kind: PaymentKind,
): Decision {
  const refusal = notReady(funds, now)
  if (refusal) return refusal
  const bounds = boundsOf(group, funds, kind)
  const exceeded = bounds.find((bound) => amount > bound.left)
  if (!exceeded) return allow
  const { code, rule, message, next, figures, resetsAt } = exceeded
  return {
    ok: false,
    refusal: {
      code,
      rule,
      message,
      next,
      figures: figures ?? null,
      resetsAt: resetsAt ?? null,
      maxAllowedNow: lowestOf(bounds, kind),
    },
  }
}
