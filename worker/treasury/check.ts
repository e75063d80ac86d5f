import type { Address } from '../chain/types.ts'
import { formatUsdc, type MicroUsdc } from '../domain/money.ts'
import { leastPayout } from '../domain/payment.ts'
import { decideAmount, mostAllowedNow, type Refusal } from '../domain/policy.ts'
import type { Refused, Result } from '../errors.ts'
import type { PaymentCheck } from '../schemas/payment.ts'
import type { Need } from './accept.ts'
import type { Context } from './context.ts'
import { walletFunds } from './ledger.ts'
import { callerOf, chainNow, forbiddenRecipient, isKnownRecipient, payoutRefused, targetOf } from './plan.ts'
import { figuresView } from './refusals.ts'
import type { GroupRow } from './store.ts'
import type { Principal, Recipient } from './types.ts'
import { budgetView } from './views.ts'

/** `agentId`: for the owner, who asks as one of their agents. */
export type CheckInput = { to: Recipient; amount: MicroUsdc; agentId?: string }
/** What was looked up for it. `payoutAddress`: somebody's payout has this address. */
export type Looked = { reread: boolean; payoutAddress: boolean | null }

/**
 * Would this agent's payment be allowed now? The very rules of `accept`, without reserving or recording anything.
 * What has to be awaited comes back as a need, as it does there.
 */
export function check(
  ctx: Context,
  principal: Principal,
  input: CheckInput,
  looked: Looked,
): Result<PaymentCheck> | Exclude<Need, { need: 'draft' }> {
  const asked = principal.type === 'agent' ? principal : asAgent(ctx, input.agentId ?? '')
  if (!asked) return { ok: false, code: 'not_found', message: 'Agent not found.' }
  const caller = callerOf(ctx, asked, null)
  if (!caller.ok) return caller
  const { wallet, session, group, policy } = caller.value
  if (!group || !policy) return { ok: false, code: 'not_found', message: 'Agent not found.' }
  const target = targetOf(ctx, caller.value, input.to)
  if ('refusal' in target)
    return { ok: true, value: answer(group, input, target.refusal, target.refusal.maxAllowedNow) }
  const forbidden = forbiddenRecipient(ctx, wallet, target.address)
  if (forbidden) return forbidden
  if (target.address !== null && !isKnownRecipient(ctx, wallet, target.address)) {
    if (looked.payoutAddress === null) return { need: 'lookup', address: target.address as Address }
    if (looked.payoutAddress) return payoutRefused
  }
  const isPayout = target.address === null
  if (isPayout && input.amount < leastPayout) return tooSmall

  const now = ctx.now()
  const funds = walletFunds(wallet, session)
  const kind = { isPayout, at: now }
  const chainTime = chainNow(ctx, wallet, now)
  const decision = decideAmount(policy, funds, input.amount, chainTime, kind)
  if (!decision.ok && !looked.reread && wallet.status === 'active')
    return { need: 'reread', wallet, freshEnoughMs: 2_000 }
  const most = mostAllowedNow(policy, funds, chainTime, kind)
  return { ok: true, value: answer(group, input, decision.ok ? null : decision.refusal, most) }
}

/** What its own API key, or secret, would be told. */
function asAgent({ store, now }: Context, agentId: string): Principal | null {
  const credential = store.first<{ hash: string }>(
    'SELECT hash FROM credential WHERE agent_id = ? AND (expires_at IS NULL OR expires_at > ?) LIMIT 1',
    agentId,
    now(),
  )
  return credential && { type: 'agent', agentId, credentialHash: credential.hash }
}

export const tooSmall: Refused = {
  ok: false,
  code: 'invalid_input',
  message: 'A payout must be at least 0.10 USDC',
  field: 'amount',
}

const answer = (group: GroupRow, input: CheckInput, refusal: Refusal | null, most: MicroUsdc): PaymentCheck => ({
  object: 'payment_check',
  allowed: refusal === null,
  amount: formatUsdc(input.amount),
  max_allowed_now: formatUsdc(most),
  budget: budgetView(group),
  refusal: refusal && { code: refusal.code, detail: refusal.message, ...figuresView(refusal) },
})
