import { isSeller } from '#domain/kinds/kinds.ts'
import { type MicroUsdc, min } from '#domain/money.ts'
import { minPayout, minPayoutText } from '#domain/payment.ts'
import { decideAmount, mostAllowed, type PaymentKind, type WalletFunds } from '#domain/policy.ts'
import type { Refusal } from '#domain/refusal.ts'
import type { Verdict } from '#domain/rules/rule.ts'
import { classFor } from '#domain/x402/purchaseClasses.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { type Refused, type Result, refuse } from '../../result.ts'
import { approvalRulesFor, paymentKind, secondPerson } from '../approvals/approvalRules.ts'
import { contactChangedRefusal, mayAsk, recipientChanged } from '../approvals/ask.ts'
import { chainNow, unreachable } from '../core/chainHeads.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { walletSetRefusal } from '../core/contracts.ts'
import { runs } from '../core/spender.ts'
import { newPaymentRefusal } from '../core/stop.ts'
import type { Target } from '../core/storage/newPayment.ts'
import type { GrantRow, PaymentRow } from '../core/storage/rows.ts'
import { accountFull } from '../core/storage/store.ts'
import { walletFunds } from '../ledger/balances.ts'
import type { GroupWindows } from '../ledger/windows.ts'
import { type Admission, admit, sharedNeed } from '../limits/admission.ts'
import { messageTo } from '../limits/messageLimits.ts'
import type { TakenRates } from '../limits/rates.ts'
import { leftAlone, needsSecondPerson, secondPersonRequired } from '../limits/secondPerson.ts'
import { type Caller, resolveTarget } from '../policies/paymentParties.ts'
import { type Gathered, isUnread, type Need } from './needs.ts'
import { hasNumbers, purchaseFunds, purchaseProblem } from './purchase.ts'
import { classRefusal, withMaximum } from './purchases/open.ts'
import { forbiddenRecipient, recipientState, smsRefusal } from './recipients.ts'
import { lookupRefusal } from './screening.ts'

/** What the amount of a payment was compared with, as far as it was read. */
export type Basis = { funds?: WalletFunds; kind?: PaymentKind }

/** Refused by the owner's policy or for lack of funds. Such a refusal of a payment is recorded. */
export type RefusedByPolicy = Basis & { ok: false; by: 'policy'; caller: Caller; refusal: Refusal }

/** A payment that nothing refuses, and what carrying it out needs. */
export type Decided = Required<Basis> & {
  ok: true
  caller: Caller
  target: Target
  /** Of the rules that count over time. */
  windows: GroupWindows
  /** Whether it is a purchase that uses a number of its session. */
  isNumbered: boolean
  /** A recipient that was looked up now. */
  isNewlyKnown: boolean
  admission: Admission
  /** The rules by which the owner has to approve it first, and the token of the rate at which owners are asked; null if none do. */
  asks: { rules: Verdict[]; rate: TakenRates } | null
  /** The permission that it uses instead of asking. */
  grant: GrantRow | null
}

export type Decision = Decided | Problem
type Problem = RefusedByPolicy | (Refused & { by?: never }) | Need

/** What a decision is about. `approved` is the waiting payment that the owner approves: nobody is asked again. */
type Request = {
  ctx: Context
  caller: Caller
  to: Recipient
  amount: MicroUsdc
  gathered: Gathered
  approved: PaymentRow | null
}
/** The request and what is named of that which was found out. A check can only come after those that find what it reads. */
type With<Names extends keyof Decided> = Request & Pick<Decided, Names>

/** Of what a check returns, that which it finds out. */
type Finds<Found> = [Exclude<Found, Problem | null>] extends [never] ? unknown : Exclude<Found, Problem | null>

/** Checks in the order in which they run. Each returns what it finds, null for nothing, or the problem that ends them. */
const inOrder = <Known extends Request>(run: (request: Request) => Problem | Known) => ({
  run,
  and: <Found extends object | null>(check: (known: Known) => Found) =>
    inOrder((request): Problem | (Known & Finds<Found>) => {
      const known = run(request)
      if (isProblem(known)) return known
      const found = check(known)
      return isProblem(found) ? found : (Object.assign(known, found) as Known & Finds<Found>)
    }),
})
const isProblem = (found: object | null): found is Problem => found !== null && ('ok' in found || 'need' in found)

/** Those that cause work elsewhere come last, because a request that is refused anyway should cost nothing. */
const checks = inOrder((request) => request)
  .and(accountPays)
  .and(policyAllowsRecipient)
  .and(recipientIsAsApproved)
  .and(recipientCanBePaid)
  .and(payoutIsLargeEnough)
  .and(purchaseIsPossible)
  .and(moneySuffices)
  .and(limitsAllow)
  .and(recipientIsNotBlocked)
  .and(ownerMayBeAsked)
  .and(sharedLimitsAllow)

/**
 * Decides about a payment of `found`, for `accept`, which then carries it out, and for `check`, which only says what was decided.
 * Changes nothing. The first problem is the decision; what is missing is returned as a need.
 */
export function decidePayment(
  ctx: Context,
  found: Result<Caller>,
  { to, amount }: { to: Recipient; amount: MicroUsdc },
  gathered: Gathered,
  approved: PaymentRow | null = null,
): Decision {
  if (!found.ok) return found
  const decided = checks.run({ ctx, caller: found.value, to, amount, gathered, approved })
  return isProblem(decided) ? decided : { ...decided, ok: true }
}

function accountPays({ ctx, caller: { wallet } }: Request): Problem | null {
  if (ctx.store.isFull) return accountFull
  return suspendedOwner(ctx) ?? newPaymentRefusal(ctx) ?? walletSetRefusal(ctx, wallet)
}

function policyAllowsRecipient({ ctx, caller, to }: Request): Problem | { target: Target } {
  const target = resolveTarget(ctx, caller, to)
  return 'refusal' in target ? byPolicy(caller, target.refusal) : { target }
}

function recipientIsAsApproved({ caller: { wallet }, target, approved }: With<'target'>): Problem | null {
  return approved && recipientChanged(approved, wallet, target) ? contactChangedRefusal : null
}

function recipientCanBePaid({ ctx, caller: { wallet }, target: { address, phone } }: With<'target'>): Problem | null {
  return (address && forbiddenRecipient(ctx, wallet, address)) || (phone && smsRefusal(ctx, phone)) || null
}

function payoutIsLargeEnough({ target, amount }: With<'target'>): Problem | null {
  if (target.address !== null || amount >= minPayout) return null
  return refuse('invalid_input', minPayoutText, { field: 'amount' })
}

function purchaseIsPossible({ ctx, caller, to, amount, gathered, approved }: Request): Problem | null {
  return isSeller(to) ? purchaseProblem(ctx, caller, to, amount, gathered, approved) : null
}

/** Whether policy, session key and wallet have enough for the amount, by figures that are read again before they refuse. */
function moneySuffices({
  ctx,
  caller,
  target,
  to,
  amount,
  gathered,
}: With<'target'>): Problem | Pick<Decided, 'funds' | 'kind' | 'windows' | 'isNumbered'> {
  const { wallet, session, agent, policy, spender } = caller
  const now = ctx.now()
  const isNumbered = hasNumbers(wallet, to)
  const funds = (isNumbered ? purchaseFunds : walletFunds)(ctx.store, wallet, session, gathered.arriving)
  const { kind, windows } = paymentKind(ctx, caller, target, to, amount, now)
  const decision = decideAmount(policy, funds, amount, chainNow(ctx, wallet, now), kind)
  if (!decision.ok) {
    // Refusals for balance or session require a fresh reading of the chain. A refusal for a budget does not; only the
    // figures reported with it do.
    if (gathered.refresh === 'none' && wallet.status === 'active') {
      const freshEnoughMs = decision.refusal.rule.startsWith('group.') ? 2_000 : 0
      return { need: 'refresh', wallet, spender, freshEnoughMs }
    }
    if (isUnread(decision.refusal, gathered)) return unreachable
    return byPolicy(caller, withLeftAlone(ctx, caller, decision.refusal), { funds, kind })
  }
  const usedUp = isNumbered && classRefusal(ctx, wallet, session!, agent?.id ?? null, classFor(amount)!)
  if (usedUp) {
    const most = mostAllowed(policy, funds, chainNow(ctx, wallet, now), kind)
    return byPolicy(caller, withLeftAlone(ctx, caller, withMaximum(usedUp, most)), { funds, kind })
  }
  return { funds, kind, windows, isNumbered }
}

/** A refusal never says that more needs no approval than may have only the owner behind it. */
function withLeftAlone(ctx: Context, { group }: Caller, refusal: Refusal): Refusal {
  const left = leftAlone(ctx, group)
  return left === null ? refusal : { ...refusal, maxWithoutAsking: min(refusal.maxWithoutAsking, left) }
}

function limitsAllow(known: With<'target'>): Problem | { admission: Admission } {
  const admission = admit(known.ctx, workOf(known))
  return admission.ok ? { admission } : admission
}

function recipientIsNotBlocked({
  ctx,
  caller: { wallet, spender },
  target,
  gathered,
}: With<'target'>): Problem | { isNewlyKnown: boolean } {
  const state = target.address ? recipientState(ctx, wallet, target.address, gathered.lookup) : 'known'
  if (state === null) return { need: 'lookup', wallet, spender, address: target.address! }
  if (typeof state === 'object') return state
  return lookupRefusal(state) ?? { isNewlyKnown: state === 'clear' }
}

function ownerMayBeAsked({
  ctx,
  caller,
  target,
  amount,
  kind,
  approved,
}: With<'target' | 'kind'>): Problem | Pick<Decided, 'asks' | 'grant'> {
  const { rules, grant: usable } = approved
    ? { rules: [], grant: null }
    : approvalRulesFor(ctx, caller, target, amount, kind)
  // A run was decided as a whole.
  const isAlone =
    caller.spender !== runs && needsSecondPerson(ctx, { group: caller.group, amount, isApproval: approved !== null })
  if (isAlone && (approved || !caller.agent)) return secondPersonRequired(ctx, approved !== null)
  if (isAlone) rules.push(secondPerson)
  const grant = isAlone ? null : usable
  if (rules.length === 0) return { asks: null, grant }
  const rate = mayAsk(ctx, caller, target, amount)
  return rate.ok ? { asks: { rules, rate }, grant } : rate
}

/** A payment that waits for its owner takes nothing yet of what accounts share. */
function sharedLimitsAllow(known: With<'target' | 'asks' | 'admission'>): Problem | null {
  return known.asks ? null : sharedNeed(known.ctx, workOf(known), known.admission, known.gathered.grants)
}

const workOf = ({ caller: { wallet, spender }, to, target }: With<'target'>) => ({
  wallet,
  spender,
  message: messageTo(target),
  isPurchase: isSeller(to),
})

const byPolicy = (caller: Caller, refusal: Refusal, basis: Basis = {}): RefusedByPolicy => ({
  ok: false,
  by: 'policy',
  caller,
  refusal,
  ...basis,
})
