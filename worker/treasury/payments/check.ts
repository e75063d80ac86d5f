import { isSeller } from '#domain/kinds/kinds.ts'
import { formatUsdc, min, zeroUsdc } from '#domain/money.ts'
import { mostAllowed } from '#domain/policy.ts'
import { nextForOwner, type Refusal } from '#domain/refusal.ts'
import type { PaymentCheck } from '#schemas/payment.ts'
import { notFound, ok, type Refused, type Result } from '../../result.ts'
import { chainNow } from '../core/chainHeads.ts'
import { figuresView } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { GroupRow } from '../core/storage/rows.ts'
import { leftAlone } from '../limits/secondPerson.ts'
import { budgetView } from '../policies/budgets.ts'
import { resolveCaller } from '../policies/paymentParties.ts'
import { decidePayment } from './decidePayment.ts'
import type { Gathered, Need } from './needs.ts'
import type { CheckInput } from './rpcTypes.ts'

/**
 * Dry run: what would become of this agent's payment now? Decides as `accept` does, and reserves and records nothing. A refusal
 * by a rule or a limit is a result; any other is returned as the payment's would be. Missing input is returned as a need.
 */
export function check(
  ctx: Context,
  principal: Principal,
  input: CheckInput,
  gathered: Gathered,
): Result<PaymentCheck> | Need {
  const agentPrincipal = principal.type === 'agent' ? principal : principalOf(ctx, input.agentId ?? '')
  if (!agentPrincipal) return notFound('Agent')
  const caller = resolveCaller(ctx, agentPrincipal, null)
  const decided = decidePayment(ctx, caller, input, gathered)
  if ('need' in decided) return decided
  const group = caller.ok ? caller.value.group : null
  if (decided.ok) {
    const { funds, kind, target } = decided
    if (gathered.unused === undefined && target.address && !isSeller(input.to) && kind.recipient?.isNew())
      return {
        need: 'usage',
        wallet: decided.caller.wallet,
        address: target.address,
        agentId: decided.caller.agent?.id ?? null,
      }
    const warnings = gathered.unused ? [unusedAddress] : []
    const most = mostAllowed(decided.caller.policy, funds, chainNow(ctx, decided.caller.wallet, ctx.now()), kind)
    const left = leftAlone(ctx, group)
    if (left !== null) most.withoutAsking = min(most.withoutAsking, left)
    return ok(checkView(group!, input, { most, warnings, asked: decided.asks?.rules.map(({ rule }) => rule) }))
  }
  if (decided.by === 'policy') {
    const { maxAllowedNow, maxWithoutAsking } = decided.refusal
    const most = { now: maxAllowedNow, withoutAsking: maxWithoutAsking }
    return ok(checkView(group!, input, { refusal: shownTo(principal, decided.refusal), most }))
  }
  return decided.refusal && group ? ok(checkView(group, input, { refusal: shownLimit(decided) })) : decided
}

/** The agent as caller, with one of its valid credentials. Null if it has none. */
function principalOf({ store, now }: Context, agentId: string): Principal | null {
  const credential = store.first<{ hash: string }>(
    'SELECT hash FROM credential WHERE agent_id = ? AND (expires_at IS NULL OR expires_at > ?) LIMIT 1',
    agentId,
    now(),
  )
  return credential && { type: 'agent', agentId, credentialHash: credential.hash, via: 'api' }
}

type Most = ReturnType<typeof mostAllowed>
const none: Most = { now: zeroUsdc, withoutAsking: zeroUsdc }

type Shown = NonNullable<PaymentCheck['refusal']>
type Warning = PaymentCheck['warnings'][number]

const unusedAddress: Warning = {
  code: 'address_unused',
  detail:
    'This would be the first payment to this address, and nobody has used it on this network before. An address with a wrong digit would look the same: compare it with its source.',
}

const shownTo = (principal: Principal, refusal: Refusal): Shown => ({
  code: refusal.code,
  detail: refusal.message,
  ...figuresView(refusal),
  ...(principal.type === 'user' && { next: nextForOwner(refusal.next) }),
})
const shownLimit = ({ code, message, refusal }: Refused): Shown => ({ code, detail: message, ...refusal! })

const checkView = (
  group: GroupRow,
  input: CheckInput,
  {
    refusal = null,
    most = none,
    asked = [],
    warnings = [],
  }: { refusal?: Shown | null; most?: Most; asked?: string[] | undefined; warnings?: Warning[] },
): PaymentCheck => ({
  object: 'payment_check',
  allowed: refusal === null,
  amount: formatUsdc(input.amount),
  max_allowed_now: formatUsdc(most.now),
  max_without_asking: formatUsdc(most.withoutAsking),
  budget: budgetView(group),
  refusal,
  approval_required: asked.length > 0,
  approval_rules: asked,
  warnings,
})
