import { formatUsdc, zeroUsdc } from '#domain/money.ts'
import { minPayout, minPayoutText } from '#domain/payment.ts'
import { decideAmount, mostAllowed } from '#domain/policy.ts'
import { nextForOwner, type Refusal } from '#domain/refusal.ts'
import type { Verdict } from '#domain/rules/rule.ts'
import { classFor } from '#domain/x402/purchaseClasses.ts'
import type { PaymentCheck } from '#schemas/payment.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import { approvalRulesFor, paymentKind } from '../approvals/approvalRules.ts'
import { chainNow, unreachable } from '../core/chainHeads.ts'
import { figuresView } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { walletSetRefusal } from '../core/contracts.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { newPaymentRefusal } from '../core/stop.ts'
import { walletFunds } from '../ledger/balances.ts'
import { admit, lookupLimitRefusal } from '../limits/admission.ts'
import { messageTo } from '../limits/messageLimits.ts'
import { budgetView } from '../policies/budgets.ts'
import { resolveCaller, resolveTarget } from '../policies/paymentParties.ts'
import { classRefusal, withMost } from '../purchases/open.ts'
import type { GroupRow } from '../storage/rows.ts'
import { type Gathered, isUnread, lookupNeed, type Need } from './needs.ts'
import { hasNumbers, purchaseFunds } from './purchase.ts'
import { forbiddenRecipient, lookupRefusal, recipientState, smsRefusal } from './recipients.ts'
import type { CheckInput } from './rpcTypes.ts'

/**
 * Dry run: would this agent's payment be allowed now? Applies the rules of `accept` without reserving or recording anything.
 * Missing input is returned as a need, as in `accept`.
 */
export function check(
  ctx: Context,
  principal: Principal,
  input: CheckInput,
  gathered: Gathered,
): Result<PaymentCheck> | Need {
  const shown = shownTo(principal)
  const agentPrincipal = principal.type === 'agent' ? principal : principalOf(ctx, input.agentId ?? '')
  if (!agentPrincipal) return notFound('Agent')
  const caller = resolveCaller(ctx, agentPrincipal, null)
  if (!caller.ok) return caller
  const { wallet, session, group, agent, policy } = caller.value
  if (!group || !policy) return notFound('Agent')
  const unknown = walletSetRefusal(ctx, wallet)
  if (unknown) return unknown
  const stopped = newPaymentRefusal(ctx)
  if (stopped) return ok(checkView(group, input, shownLimit(stopped), none))
  const target = resolveTarget(ctx, caller.value, input.to)
  if ('refusal' in target) return ok(checkView(group, input, shown(target.refusal), none))
  const forbidden =
    (target.address && forbiddenRecipient(ctx, wallet, target.address)) ||
    (target.phone && smsRefusal(ctx, target.phone))
  if (forbidden) return forbidden
  const isPayout = target.address === null
  if (isPayout && input.amount < minPayout) return refuse('invalid_input', minPayoutText, { field: 'amount' })

  const now = ctx.now()
  const isNumbered = hasNumbers(wallet, input.to)
  const funds = (isNumbered ? purchaseFunds : walletFunds)(wallet, session, gathered.arriving)
  const { kind } = paymentKind(ctx, caller.value, target, input.to, input.amount, now)
  const chainTime = chainNow(ctx, wallet, now)
  const decision = decideAmount(policy, funds, input.amount, chainTime, kind)
  const agentId = agent?.id ?? null
  if (!decision.ok && !gathered.refreshed && wallet.status === 'active' && !lookupLimitRefusal(ctx, agentId))
    return { need: 'refresh', wallet, freshEnoughMs: 2_000 }
  const most = mostAllowed(policy, funds, chainTime, kind)
  if (!decision.ok && isUnread(decision.refusal, gathered)) return unreachable
  if (!decision.ok) return ok(checkView(group, input, shown(decision.refusal), most))
  const ofClass = isNumbered ? classFor(input.amount) : null
  const usedUp = ofClass !== null && classRefusal(ctx, wallet, session!, agentId, ofClass)
  if (usedUp) return ok(checkView(group, input, shown(withMost(usedUp, most)), most))
  const admission = admit(ctx, { wallet, agentId, message: messageTo(target) })
  if (!admission.ok) return ok(checkView(group, input, shownLimit(admission), none))
  const recipient = target.address ? recipientState(ctx, wallet, target.address, gathered.lookup) : 'known'
  if (recipient === null) return lookupNeed(ctx, wallet, agentId, target.address!)
  const { rules } = approvalRulesFor(ctx, caller.value, target, input.amount, kind)
  return lookupRefusal(recipient) ?? ok(checkView(group, input, null, most, rules))
}

/** The agent as caller, with one of its valid credentials. Null if it has none. */
function principalOf({ store, now }: Context, agentId: string): Principal | null {
  const credential = store.first<{ hash: string }>(
    'SELECT hash FROM credential WHERE agent_id = ? AND (expires_at IS NULL OR expires_at > ?) LIMIT 1',
    agentId,
    now(),
  )
  return credential && { type: 'agent', agentId, credentialHash: credential.hash }
}

const none = { now: zeroUsdc, withoutAsking: zeroUsdc }

type Shown = NonNullable<PaymentCheck['refusal']>
const shownTo =
  (principal: Principal) =>
  (refusal: Refusal): Shown => ({
    code: refusal.code,
    detail: refusal.message,
    ...figuresView(refusal),
    ...(principal.type === 'user' && { next: nextForOwner(refusal.next) }),
  })
const shownLimit = ({ code, message, refusal }: Refused): Shown => ({ code, detail: message, ...refusal! })

const checkView = (
  group: GroupRow,
  input: CheckInput,
  refusal: Shown | null,
  most: ReturnType<typeof mostAllowed>,
  asked: Verdict[] = [],
): PaymentCheck => ({
  object: 'payment_check',
  allowed: refusal === null,
  amount: formatUsdc(input.amount),
  max_allowed_now: formatUsdc(most.now),
  max_without_asking: formatUsdc(most.withoutAsking),
  budget: budgetView(group),
  refusal,
  approval_required: asked.length > 0,
  approval_rules: asked.map(({ rule }) => rule),
})
