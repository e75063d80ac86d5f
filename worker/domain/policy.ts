import { formatUsdc, type MicroUsdc, microUsdc, minusOrZero, smaller } from './money.ts'
import { type RecipientType, type Scope, scopeFor } from './scopes.ts'

/** Spent, held and limit of one ledger; null limit = none. */
export type Budget = { limit: MicroUsdc | null; spent: MicroUsdc; held: MicroUsdc }

/** limit − spent − held, never below zero; null without a limit. */
export function remainingOf(budget: Budget): MicroUsdc | null {
  return budget.limit === null ? null : minusOrZero(budget.limit, budget.spent + budget.held)
}

/** What an agent's payment is measured against: its group as it stands at the moment of decision. */
export type GroupPolicy = {
  name: string
  budget: Budget
  scopes: readonly Scope[]
  paused: boolean
  agentPaused: boolean
  accountPaused: boolean
}
/** The wallet that pays. `available` = what the ledger knows to be there and not held. */
export type WalletFunds = {
  available: MicroUsdc
  status: 'deploying' | 'active' | 'failed'
  halted: boolean
  paused: boolean
  session: (Budget & { limit: MicroUsdc /** ms */; validUntil: number }) | null
}
export type RecipientCheck =
  | { type: Exclude<RecipientType, 'contact'> }
  | { type: 'contact'; whitelisted: boolean; stale: boolean; hasMethod: boolean }

export type RefusalCode =
  | 'agent_disabled'
  | 'insufficient_scope'
  | 'recipient_not_allowed'
  | 'contact_changed'
  | 'budget_exceeded'
  | 'wallet_not_ready'
  | 'session_key_expired'
  | 'session_limit_exceeded'
  | 'insufficient_balance'

/** A refusal names the rule, says what to do next and carries the figures it was decided on. */
export type Refusal = {
  code: RefusalCode
  rule: string
  message: string
  next: string
  figures: { limit: MicroUsdc | null; spent: MicroUsdc; held: MicroUsdc; remaining: MicroUsdc | null } | null
  /** The most that this very recipient could be paid now; 0 when the refusal is not about the amount. */
  maxAllowedNow: MicroUsdc
}
export type Decision = { ok: true } | { ok: false; refusal: Refusal }

const allow: Decision = { ok: true }
const zero = microUsdc(0n)

function refuse(
  code: RefusalCode,
  rule: string,
  message: string,
  next: string,
  budget?: Budget,
  maxAllowedNow = zero,
): Decision {
  const figures = budget ? { ...budget, remaining: remainingOf(budget) } : null
  return { ok: false, refusal: { code, rule, message, next, figures, maxAllowedNow } }
}

/** The least of what group, session and wallet leave. A missing limit does not bind. */
export function mostAllowedNow(group: GroupPolicy | null, funds: WalletFunds): MicroUsdc {
  const bounds: MicroUsdc[] = [funds.available, funds.session ? (remainingOf(funds.session) ?? zero) : zero]
  const left = group ? remainingOf(group.budget) : null
  if (left !== null) bounds.push(left)
  return bounds.reduce(smaller)
}

/** May the group's agents pay this recipient at all? Default deny: what no scope names is refused. */
export function decideRecipient(group: GroupPolicy, recipient: RecipientCheck): Decision {
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
  const scope = scopeFor[recipient.type]
  if (!group.scopes.includes(scope))
    return refuse(
      'insufficient_scope',
      scope,
      `The policy group "${group.name}" does not allow ${recipient.type} payments.`,
      `Ask the owner for the scope ${scope}.`,
    )
  if (recipient.type !== 'contact') return allow
  if (!recipient.whitelisted)
    return refuse(
      'recipient_not_allowed',
      'whitelist',
      'This contact is not on the whitelist of the policy group.',
      'Ask the owner to whitelist the contact.',
    )
  if (recipient.stale)
    return refuse(
      'contact_changed',
      'whitelist.snapshot',
      'This contact changed after it was whitelisted.',
      'Ask the owner to confirm the contact in the policy group.',
    )
  if (!recipient.hasMethod)
    return refuse(
      'recipient_not_allowed',
      'whitelist.method',
      'This contact has no such way to be paid.',
      'Choose another method or pay an address.',
    )
  return allow
}

/** Can `amount` be reserved now (ms)? Held money counts as gone: two payments never share one dollar. */
export function decideAmount(group: GroupPolicy | null, funds: WalletFunds, amount: MicroUsdc, now: number): Decision {
  if (funds.status !== 'active' || funds.halted || funds.paused)
    return refuse(
      'wallet_not_ready',
      'wallet.status',
      funds.paused ? 'The wallet is paused.' : 'The wallet is not ready to pay yet.',
      'Try again when the wallet is active.',
    )
  const { session } = funds
  if (!session || now > session.validUntil)
    return refuse(
      'session_key_expired',
      'session.valid_until',
      'The wallet’s session key is no longer valid.',
      'Ask the owner to rotate the session key.',
    )
  const most = mostAllowedNow(group, funds)
  if (group) {
    const left = remainingOf(group.budget)
    if (left !== null && amount > left)
      return refuse(
        'budget_exceeded',
        'group.budget',
        `The group's budget has ${formatUsdc(left)} USDC left.`,
        'Send less or ask the owner to top up.',
        group.budget,
        most,
      )
  }
  const sessionLeft = remainingOf(session) ?? zero
  if (amount > sessionLeft)
    return refuse(
      'session_limit_exceeded',
      'session.limit',
      `The wallet's session key has ${formatUsdc(sessionLeft)} USDC left.`,
      'Send less or ask the owner to rotate the session key.',
      session,
      most,
    )
  if (amount > funds.available)
    return refuse(
      'insufficient_balance',
      'wallet.balance',
      `Insufficient balance: the wallet has ${formatUsdc(funds.available)} USDC available.`,
      'Add funds or send less.',
      undefined,
      most,
    )
  return allow
}
