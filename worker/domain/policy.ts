import { formatUsdcText, type MicroUsdc, min, saturatingSub, zeroUsdc } from './money.ts'
import { minPayout } from './payment.ts'
import { allow, both, type Decision, type Figures, orOwner, type Refusal, refuse } from './refusal.ts'
import type { PaymentFacts, Verdict } from './rules/rule.ts'
import { type RuleValues, verdictsOf } from './rules/values.ts'
import type { Used } from './rules/windows.ts'
import type { Scope } from './scopes.ts'

/** Of one account: they are shown in one list. */
export const maxGroups = 200
export const maxAgents = 500

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
  /** Sum of the group's unclaimed payouts. */
  unclaimed: MicroUsdc
  rules: RuleValues
  /** A stored rule that this code does not know: nothing may be paid. */
  unknownRule?: string
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
/** What limits depend on besides the amount. `used`: what the rules of the group have counted, by field. */
export type PaymentKind = Omit<PaymentFacts, 'unclaimed'> & { used: Readonly<Record<string, Used>> }

/** A paused agent may not do anything, not even read. */
export function decideActive(group: Pick<GroupPolicy, 'name' | 'paused' | 'agentPaused' | 'accountPaused'>): Decision {
  if (group.agentPaused)
    return refuse('agent_disabled', 'agent.paused', 'This agent is paused.', orOwner('', 'resume it'))
  if (group.paused)
    return refuse(
      'agent_disabled',
      'group.paused',
      `The policy group "${group.name}" is paused.`,
      orOwner('', 'resume it'),
    )
  if (group.accountPaused)
    return refuse(
      'agent_disabled',
      'account.paused',
      'All agents of this account are paused.',
      orOwner('', 'resume them'),
    )
  return allow
}

/** What group, session key and wallet say about a payment of this kind, in the order in which they refuse. */
const verdictsFor = (group: GroupPolicy | null, funds: WalletFunds, kind: PaymentKind): Verdict[] => [
  ...(group ? groupVerdicts(group, kind) : []),
  ...fundsVerdicts(funds),
]

function fundsVerdicts({ session, available, arriving = zeroUsdc }: WalletFunds): Verdict[] {
  const sessionLeft = session ? saturatingSub(session.limit, session.spent + session.held) : zeroUsdc
  const bySession: Verdict = {
    above: sessionLeft,
    outcome: 'refuse',
    code: 'session_limit_exceeded',
    rule: 'session.limit',
    message: `The wallet's session key has ${formatUsdcText(sessionLeft)} USDC left.`,
    next: orOwner('Send less', 'rotate the session key'),
    ...(session && { figures: figuresOf(session) }),
  }
  const byBalance: Verdict = {
    above: available,
    outcome: 'refuse',
    code: 'insufficient_balance',
    rule: 'wallet.balance',
    message:
      arriving === 0n
        ? `Insufficient balance: the wallet has ${formatUsdcText(available)} USDC available.`
        : `Insufficient balance: the wallet has ${formatUsdcText(available)} USDC available, and ${formatUsdcText(arriving)} USDC is arriving.`,
    next: both(arriving === 0n ? 'Add funds or send less.' : 'Try again in a few seconds, add funds, or send less.'),
  }
  return [bySession, byBalance]
}

/** One payment is judged up to three times with the same facts: decided, asked about, and for the most that is allowed. */
const judged = new WeakMap<PaymentKind, { group: GroupPolicy; verdicts: Verdict[] }>()

function ruleVerdicts(group: GroupPolicy, kind: PaymentKind): Verdict[] {
  const known = judged.get(kind)
  if (known?.group === group) return known.verdicts
  const verdicts = verdictsOf(group.rules, { ...kind, unclaimed: group.unclaimed }, kind.used)
  judged.set(kind, { group, verdicts })
  return verdicts
}

/** Limits of a single payment refuse before the total budget, and those with figures after it. */
function groupVerdicts(group: GroupPolicy, kind: PaymentKind): Verdict[] {
  const verdicts = ruleVerdicts(group, kind)
  const left = remainingOf(group.budget)
  if (left === null) return [...verdicts]
  const budget: Verdict = {
    above: left,
    outcome: 'refuse',
    code: 'budget_exceeded',
    rule: 'group.budget',
    message: `The group's budget has ${formatUsdcText(left)} USDC left.`,
    next: orOwner('Send less', 'top up'),
    figures: figuresOf(group.budget),
  }
  const first = verdicts.filter(({ figures }) => !figures)
  return [...first, budget, ...verdicts.filter(({ figures }) => figures)]
}

const figuresOf = (budget: Budget): Figures => ({ ...budget, remaining: remainingOf(budget) })

/** The refusal if the wallet cannot pay any amount, else null. `now` (ms) is the chain's time. */
function notReady(funds: WalletFunds, now: number): Decision | null {
  if (funds.paused)
    return refuse('wallet_not_ready', 'wallet.paused', 'The wallet is paused.', orOwner('', 'resume it'))
  if (funds.status !== 'active' || funds.halted)
    return refuse(
      'wallet_not_ready',
      'wallet.status',
      'The wallet is not ready to pay yet.',
      both('Try again when the wallet is active.'),
    )
  if (!funds.session || now > funds.session.validUntil)
    return refuse(
      'session_key_expired',
      'session.valid_until',
      'The wallet’s session key is no longer valid.',
      orOwner('', 'rotate the session key'),
    )
  return null
}

/**
 * The largest amount that group, session key and wallet allow, and what of it needs no approval; both 0 if the wallet
 * cannot pay. `now` as in decideAmount.
 */
export function mostAllowed(
  group: GroupPolicy | null,
  funds: WalletFunds,
  now: number,
  kind: PaymentKind,
): { now: MicroUsdc; withoutAsking: MicroUsdc } {
  return notReady(funds, now)
    ? { now: zeroUsdc, withoutAsking: zeroUsdc }
    : mostOf(verdictsFor(group, funds, kind), kind)
}

/** The lowest limits. Zero if below the smallest payout. */
function mostOf(verdicts: Verdict[], kind: { isPayout: boolean }) {
  const lowest = (of: Verdict[]) => of.map(({ above }) => above ?? zeroUsdc).reduce(min)
  const payable = (most: MicroUsdc) => (kind.isPayout && most < minPayout ? zeroUsdc : most)
  const refusing = verdicts.filter(({ outcome }) => outcome === 'refuse')
  return { now: payable(lowest(refusing)), withoutAsking: payable(lowest(verdicts)) }
}

const applies = (amount: MicroUsdc, { above }: Verdict) => above === null || amount > above

/**
 * Whether `amount` can be reserved now. Held money counts as spent, so that two payments never share a dollar. `now` (ms)
 * is the chain's time, which decides whether a session key is valid; rules use our own time, `kind.at`.
 */
export function decideAmount(
  group: GroupPolicy | null,
  funds: WalletFunds,
  amount: MicroUsdc,
  now: number,
  kind: PaymentKind,
): Decision {
  return notReady(funds, now) ?? decideBy(verdictsFor(group, funds, kind), amount, kind)
}

/** Whether a sum of payments that no group limits can be reserved now. `now` as in decideAmount. */
export const decideSum = (funds: WalletFunds, sum: MicroUsdc, now: number): Decision =>
  notReady(funds, now) ?? decideBy(fundsVerdicts(funds), sum, { isPayout: false })

function decideBy(verdicts: Verdict[], amount: MicroUsdc, kind: { isPayout: boolean }): Decision {
  const [first, ...others] = verdicts.filter((verdict) => verdict.outcome === 'refuse' && applies(amount, verdict))
  return first ? refusalBy(first, others, mostOf(verdicts, kind)) : allow
}

/** Whoever lifts the first limit should not run into the next one: the message has them all. */
function refusalBy(first: Verdict, others: Verdict[], most: { now: MicroUsdc; withoutAsking: MicroUsdc }): Decision {
  const { code, rule, figures = null, resetsAt = null } = first
  const message = [first, ...others].map((each) => each.message).join(' ')
  const next = others.length > 0 ? orOwner('Send less', 'change every limit that is named') : first.next
  const refusal: Refusal = {
    code,
    rule,
    message,
    next,
    figures,
    resetsAt,
    maxAllowedNow: most.now,
    maxWithoutAsking: most.withoutAsking,
  }
  return { ok: false, refusal }
}

/** The rules by which the owner must approve a payment that nothing refuses. */
export const askedBy = (group: GroupPolicy, amount: MicroUsdc, kind: PaymentKind): Verdict[] =>
  ruleVerdicts(group, kind).filter((verdict) => verdict.outcome === 'ask' && applies(amount, verdict))
