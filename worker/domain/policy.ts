import { type MicroUsdc, minusOrZero, smaller, writtenUsdc, zeroUsdc } from './money.ts'
import { leastPayout } from './payment.ts'
import { type PeriodBudget, periodNow } from './policyPeriod.ts'
import { callingCode, emailDomain } from './policyRecipient.ts'
import { type RecipientType, type Scope, scopeFor } from './scopes.ts'

/** Spent, held and limit of one ledger; null limit = none. */
export type Budget = { limit: MicroUsdc | null; spent: MicroUsdc; held: MicroUsdc }

/** limit − spent − held, never below zero; null without a limit. */
export function remainingOf(budget: Budget): MicroUsdc | null {
  return budget.limit === null ? null : minusOrZero(budget.limit, budget.spent + budget.held)
}

/** What an agent's payment is measured against: its group as it stands at the moment of decision. Null = no such limit. */
export type GroupPolicy = {
  name: string
  budget: Budget
  scopes: readonly Scope[]
  paused: boolean
  agentPaused: boolean
  accountPaused: boolean
  /** The most of one payment. */
  maxPayment: MicroUsdc | null
  period: PeriodBudget | null
  /** All unclaimed payouts of the group together: what they are, and may be. */
  unclaimed: { open: MicroUsdc; limit: MicroUsdc | null }
  /** Payouts by message go to these alone; null = to any. */
  emailDomains: readonly string[] | null
  phoneCodes: readonly string[] | null
}
/** The wallet that pays. `available` = what the ledger knows to be there and not held. */
export type WalletFunds = {
  available: MicroUsdc
  status: 'deploying' | 'active' | 'failed' | 'deleted'
  halted: boolean
  paused: boolean
  session: (Budget & { limit: MicroUsdc /** ms */; validUntil: number }) | null
}
/** `email` and `phone`: where a payout's message goes; null for a payment to an address. */
export type RecipientCheck = { email: string | null; phone: string | null } & (
  | { type: Exclude<RecipientType, 'contact'> }
  | { type: 'contact'; whitelisted: boolean; stale: boolean; hasMethod: boolean }
)
/** How something is paid, as far as limits go: `at` (ms) decides which period it counts in. */
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

/** Figures of the rule that refused: limit, and of it spent, held and left. */
type Figures = { limit: MicroUsdc | null; spent: MicroUsdc; held: MicroUsdc; remaining: MicroUsdc | null }

/** A refusal names the rule, says what to do next and carries the figures it was decided on. */
export type Refusal = {
  code: RefusalCode
  rule: string
  message: string
  next: string
  figures: Figures | null
  /** When the rule's period ends (ms); null for rules without one. */
  resetsAt: number | null
  /** The most that this very recipient could be paid now; 0 when the refusal is not about the amount. */
  maxAllowedNow: MicroUsdc
}
export type Decision = { ok: true } | { ok: false; refusal: Refusal }

const allow: Decision = { ok: true }

/** Not about the amount: nothing may be paid. */
const refuse = (code: RefusalCode, rule: string, message: string, next: string): Decision => ({
  ok: false,
  refusal: { code, rule, message, next, figures: null, resetsAt: null, maxAllowedNow: zeroUsdc },
})

/** May the group's agents pay this recipient at all? Default deny: what no scope names is refused. */
export function decideRecipient(group: GroupPolicy, recipient: RecipientCheck): Decision {
  const active = decideActive(group)
  if (!active.ok) return active
  const scope = scopeFor[recipient.type]
  if (!group.scopes.includes(scope))
    return refuse(
      'insufficient_scope',
      scope,
      `The policy group "${group.name}" does not allow ${recipient.type} payments.`,
      `Ask the owner for the scope ${scope}.`,
    )
  if (recipient.type === 'contact') {
    const decision = decideContact(recipient)
    if (!decision.ok) return decision
  }
  return decideMessage(group, recipient)
}

/** A paused agent may do nothing, whatever it asks. */
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

function decideContact(contact: { whitelisted: boolean; stale: boolean; hasMethod: boolean }): Decision {
  if (!contact.whitelisted)
    return refuse(
      'recipient_not_allowed',
      'whitelist',
      'This contact is not on the whitelist of the policy group.',
      'Ask the owner to whitelist the contact.',
    )
  if (contact.stale)
    return refuse(
      'contact_changed',
      'whitelist.snapshot',
      'This contact changed after it was whitelisted.',
      'Ask the owner to confirm the contact in the policy group.',
    )
  if (!contact.hasMethod)
    return refuse(
      'recipient_not_allowed',
      'whitelist.method',
      'This contact has no such way to be paid.',
      'Choose another method or pay an address.',
    )
  return allow
}

/** Domains and country codes bind every payout that goes by message, whitelisted contacts' too (decision 060). */
function decideMessage(group: GroupPolicy, to: { type: RecipientType; email: string | null; phone: string | null }) {
  const { emailDomains, phoneCodes } = group
  const byEmail = to.email !== null || to.type === 'email'
  if (byEmail && emailDomains !== null && !emailDomains.includes(emailDomain(to.email ?? '')))
    return refuse(
      'recipient_not_allowed',
      'group.email_domains',
      'The policy group does not allow payouts to this email domain.',
      `Use an address at ${listed(emailDomains)}, or ask the owner to allow the domain.`,
    )
  const byPhone = to.phone !== null || to.type === 'phone'
  if (byPhone && phoneCodes !== null && !phoneCodes.includes(callingCode(to.phone ?? '')))
    return refuse(
      'recipient_not_allowed',
      'group.phone_codes',
      'The policy group does not allow payouts to this country code.',
      `Use a number that begins with ${listed(phoneCodes)}, or ask the owner to allow the country.`,
    )
  return allow
}

const listed = (names: readonly string[]) =>
  names.length > 5 ? `one of ${names.length} allowed ones` : names.join(' or ')

/** One limit that an amount is held against. */
type Bound = {
  left: MicroUsdc
  code: RefusalCode
  rule: string
  message: string
  next: string
  figures?: Figures
  resetsAt?: number
}

/** Every limit that binds a payment of this kind, in the order in which they refuse. A missing limit does not bind. */
function boundsOf(group: GroupPolicy | null, funds: WalletFunds, kind: PaymentKind): Bound[] {
  const bounds: Bound[] = group ? groupBounds(group, kind) : []
  const { session, available } = funds
  const sessionLeft = session ? minusOrZero(session.limit, session.spent + session.held) : zeroUsdc
  bounds.push({
    left: sessionLeft,
    code: 'session_limit_exceeded',
    rule: 'session.limit',
    message: `The wallet's session key has ${writtenUsdc(sessionLeft)} USDC left.`,
    next: 'Send less or ask the owner to rotate the session key.',
    ...(session && { figures: figuresOf(session) }),
  })
  bounds.push({
    left: available,
    code: 'insufficient_balance',
    rule: 'wallet.balance',
    message: `Insufficient balance: the wallet has ${writtenUsdc(available)} USDC available.`,
    next: 'Add funds or send less.',
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
      message: `One payment may be at most ${writtenUsdc(maxPayment)} USDC.`,
      next: 'Send less or ask the owner to raise the maximum.',
    })
  const left = remainingOf(budget)
  if (left !== null)
    bounds.push({
      left,
      code: 'budget_exceeded',
      rule: 'group.budget',
      message: `The group's budget has ${writtenUsdc(left)} USDC left.`,
      next: 'Send less or ask the owner to top up.',
      figures: figuresOf(budget),
    })
  if (period) {
    const { used, endAt } = periodNow(period, kind.at)
    const periodLeft = minusOrZero(period.limit, used)
    const resets = new Date(endAt).toISOString()
    bounds.push({
      left: periodLeft,
      code: 'budget_exceeded',
      rule: `group.budget_per_${period.period}`,
      message: `The group's budget for this ${period.period} has ${writtenUsdc(periodLeft)} USDC left.`,
      next: `Send less, wait until ${resets}, or ask the owner to raise the budget.`,
      // A period counts what was reserved in it; how much of that is confirmed is the total budget's business.
      figures: { limit: period.limit, spent: used, held: zeroUsdc, remaining: periodLeft },
      resetsAt: endAt,
    })
  }
  if (kind.isPayout && unclaimed.limit !== null) {
    const unclaimedLeft = minusOrZero(unclaimed.limit, unclaimed.open)
    bounds.push({
      left: unclaimedLeft,
      code: 'unclaimed_limit_exceeded',
      rule: 'group.max_unclaimed',
      message: `Unclaimed payouts may grow by ${writtenUsdc(unclaimedLeft)} USDC more.`,
      next: 'Wait until a payout is claimed, take one back, or ask the owner to raise the maximum.',
      figures: { limit: unclaimed.limit, spent: zeroUsdc, held: unclaimed.open, remaining: unclaimedLeft },
    })
  }
  return bounds
}

const figuresOf = (budget: Budget): Figures => ({ ...budget, remaining: remainingOf(budget) })

/** Nothing leaves a wallet in this state, whatever the amount. Null when it can pay. `now` (ms) is the chain's time. */
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

/** The least of what group, session and wallet leave; 0 when the wallet cannot pay. `now` as in decideAmount. */
export function mostAllowedNow(
  group: GroupPolicy | null,
  funds: WalletFunds,
  now: number,
  kind: PaymentKind,
): MicroUsdc {
  return notReady(funds, now) ? zeroUsdc : leastOf(boundsOf(group, funds, kind), kind)
}

/** Below the smallest payout there is nothing to be paid out. */
function leastOf(bounds: Bound[], kind: PaymentKind): MicroUsdc {
  const least = bounds.map((bound) => bound.left).reduce(smaller)
  return kind.isPayout && least < leastPayout ? zeroUsdc : least
}

/**
 * Can `amount` be reserved now? Held money counts as gone: two payments never share one dollar. `now` (ms) is the
 * chain's time, which a session key's life is judged by; periods go by our own, `kind.at`.
 */
export function decideAmount(
  group: GroupPolicy | null,
  funds: WalletFunds,
  amount: MicroUsdc,
  now: number,
  kind: PaymentKind,
): Decision {
  const unable = notReady(funds, now)
  if (unable) return unable
  const bounds = boundsOf(group, funds, kind)
  const broken = bounds.find((bound) => amount > bound.left)
  if (!broken) return allow
  const { code, rule, message, next, figures, resetsAt } = broken
  return {
    ok: false,
    refusal: {
      code,
      rule,
      message,
      next,
      figures: figures ?? null,
      resetsAt: resetsAt ?? null,
      maxAllowedNow: leastOf(bounds, kind),
    },
  }
}
