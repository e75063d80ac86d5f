import { encodeRowCursor } from '#domain/lists.ts'
import { payScopes, type Scope, scopeFor } from '#domain/scopes.ts'
import { type PaymentPayload, paymentHeader } from '#domain/x402/paymentPayload.ts'
import type {
  BudgetRequest,
  CreateBudgetRequest,
  CreatePayment,
  Payment,
  PaymentCheck,
  PaymentContext,
  PaymentContextQuery,
  PaymentList,
  PaymentsQuery,
  Purchase,
} from '#schemas/payment.ts'
import type { CreatePurchase, PurchaseReceipt } from '#schemas/x402.ts'
import type { AgentPrincipal } from '../appEnv.ts'
import type { Env } from '../env.ts'
import { ok, type Refused, type Result } from '../result.ts'
import type { Principal } from '../treasury/core/rpcTypes.ts'
import type { RateState } from '../treasury/limits/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'

/**
 * An agent's operations, for both REST and MCP. schemas/payment.ts has validated the input; results are the JSON of /v1;
 * refusals are values. The Treasury checks credential, agent and group on every call.
 */
export type Caller = { env: Pick<Env, 'TREASURY'>; agent: AgentPrincipal }

/** `key` is the Idempotency-Key. An agent's REST and MCP calls share one key space. */
export async function createPayment(
  caller: Caller,
  key: string,
  input: CreatePayment,
): Promise<Result<{ payment: Payment; replayed: boolean; rates: RateState[] }>> {
  const missing = missingScope(caller.agent, scopeFor[input.to.type])
  if (missing) return missing
  const paid = await treasury(caller).payAsAgent({
    principal: principal(caller),
    key,
    ...requestOf(input),
  })
  return paid.ok ? paid : withFieldOf(input, paid)
}

/** Buys a resource from an x402 seller: the reply has what the agent hands to it, once the purchase is signed. */
export async function createPurchase(
  caller: Caller,
  key: string,
  request: CreatePurchase,
): Promise<Result<{ payment: Purchase; replayed: boolean; rates: RateState[] }>> {
  const missing = missingScope(caller.agent, scopeFor.x402)
  if (missing) return missing
  const paid = await treasury(caller).buyAsAgent({ principal: principal(caller), key, request })
  if (!paid.ok) return withSellerField(paid)
  const { payment, signedPurchase, replayed, rates } = paid.value
  return ok({ payment: { ...payment, x402: signedPurchase && x402Of(signedPurchase) }, replayed, rates })
}

function x402Of(signedPurchase: { payload: string; validBefore: number }): Purchase['x402'] {
  const payload = JSON.parse(signedPurchase.payload) as PaymentPayload
  return { header: paymentHeader(payload), payload, valid_before: signedPurchase.validBefore }
}

/** Keeps what the seller replied. `not_found` for any id but the caller's own payments. */
export async function storeReceipt(caller: Caller, id: string, receipt: PurchaseReceipt): Promise<Result<Payment>> {
  const missing = missingScope(caller.agent, scopeFor.x402)
  return missing ?? treasury(caller).storeReceipt(principal(caller), id, receipt)
}

/** A dry run: reserves and records nothing. */
export async function checkPayment(caller: Caller, input: CreatePayment): Promise<Result<PaymentCheck>> {
  const missing = missingScope(caller.agent, scopeFor[input.to.type])
  if (missing) return missing
  const checked = await treasury(caller).checkPayment(principal(caller), input)
  return checked.ok ? checked : withFieldOf(input, checked)
}

/** The same of a purchase. May ask the seller's host for its address, as the purchase would. */
export async function checkPurchase(caller: Caller, request: CreatePurchase): Promise<Result<PaymentCheck>> {
  const missing = missingScope(caller.agent, scopeFor.x402)
  if (missing) return missing
  const checked = await treasury(caller).checkPurchase(principal(caller), request)
  return checked.ok ? checked : withSellerField(checked)
}

/** `not_found` for any id but the caller's own payments. */
export async function getPayment(caller: Caller, id: string): Promise<Result<Payment>> {
  return treasury(caller).payment(principal(caller), id)
}

/** Waits up to `forMs` until one of these payments no longer needs approval. False if there is nothing to wait for. */
export async function waitForApprovals(caller: Caller, paymentIds: string[], forMs: number): Promise<boolean> {
  const waited = await treasury(caller).approvals().waitForEnd(principal(caller), paymentIds, forMs)
  return waited.ok && waited.value
}

/** Newest first. */
export async function listPayments(
  caller: Caller,
  { limit, cursor, ...filters }: PaymentsQuery,
): Promise<Result<PaymentList>> {
  const page = { limit, after: cursor ?? null, filters }
  const result = await treasury(caller).payments(principal(caller), page)
  if (!result.ok) return result
  const { payments, next } = result.value
  return ok({ data: payments, next_cursor: next && encodeRowCursor(next), has_more: next !== null })
}

/** Possible while the payment is unsigned. Returns it as CANCELLED. Requires the same scope as creating it. */
export async function cancelPayment(caller: Caller, id: string): Promise<Result<Payment>> {
  const found = await getPayment(caller, id)
  if (!found.ok) return found
  const missing = missingScope(caller.agent, scopeFor[found.value.to.type])
  if (missing) return missing
  return treasury(caller).cancelPayment(principal(caller), id)
}

/** Why the caller's credential is not valid, or null. A paused or suspended agent's credential is valid. */
export async function credentialProblem(caller: Caller): Promise<Refused | null> {
  const scopes = await treasury(caller).policies().agentScopes(principal(caller))
  return !scopes.ok && scopes.code === 'unauthenticated' ? scopes : null
}

/** The agent, its policy group and its budget. `contact`: lists only contacts that contain this text. */
export async function paymentContext(
  caller: Caller,
  { contact }: PaymentContextQuery,
): Promise<Result<PaymentContext>> {
  const result = await treasury(caller).agentContext(principal(caller), contact ?? null)
  if (!result.ok) return result
  const { agent, group, budget, contacts, contactsTotal, maxAllowedNow, maxWithoutAsking, rules, rates, gas } =
    result.value
  return ok({
    agent,
    policy_group: { ...group, contacts },
    contacts_total: contactsTotal,
    budget,
    max_allowed_now: maxAllowedNow,
    max_without_asking: maxWithoutAsking,
    rules: rules.map(({ names, field, sentence, value, resetsAt }) => ({
      names,
      field,
      sentence,
      value,
      ...(resetsAt !== null && { resets_at: resetsAt }),
    })),
    limits: {
      rates: rates.map(({ name, limit, remaining, resetSeconds }) => ({
        name,
        limit,
        remaining,
        reset_seconds: resetSeconds,
      })),
      gas: { limit: gas.limit, used: gas.used, remaining: gas.remaining, resets_at: gas.resetsAt },
    },
  })
}

/** Asks the owner for more budget. `key` is an Idempotency-Key in the same space as those of payments. */
export async function requestBudget(
  caller: Caller,
  key: string,
  { amount, reason }: CreateBudgetRequest,
): Promise<Result<{ request: BudgetRequest; replayed: boolean }>> {
  // Any payment scope is enough to request more budget.
  const missing = payScopes.some((scope) => caller.agent.scopes.includes(scope))
    ? null
    : missingScope(caller.agent, payScopes[0])
  if (missing) return missing
  return treasury(caller)
    .approvals()
    .requestBudget({ principal: principal(caller), key, amount, reason: reason || null })
}

/** `not_found` for any id but the caller's own requests. */
export async function getBudgetRequest(caller: Caller, id: string): Promise<Result<BudgetRequest>> {
  return treasury(caller).approvals().budgetRequest(principal(caller), id)
}

/** The refusal if the caller's token lacks the scope, otherwise null. The Treasury checks whether the group allows it. */
export function missingScope(agent: AgentPrincipal, scope: Scope): Refused | null {
  if (agent.scopes.includes(scope)) return null
  return {
    ok: false,
    code: 'insufficient_scope',
    message: `This call needs the scope ${scope}, which this access token does not have.`,
    refusal: {
      rule: 'token.scope',
      scope,
      next: `Request an access token with the scope ${scope} from POST /oauth/token.`,
      max_allowed_now: '0',
    },
  }
}

export const treasury = ({ env, agent }: Caller) => treasuryOf(env, agent.userId)

export const principal = ({ agent: { agentId, credentialHash, tokenId, via } }: Caller): Principal => ({
  type: 'agent',
  agentId,
  credentialHash,
  via,
  ...(tokenId && { tokenId }),
})

const requestOf = ({ reason, ...terms }: CreatePayment) => ({
  terms: { wallet: null, expiresInDays: null, senderName: null, ...terms },
  reason: reason || null,
})

const withSellerField = (refused: Refused): Refused =>
  refused.field === 'toAddress' ? { ...refused, field: 'payment_required.accepts' } : refused

/** The Treasury names the fields of the dashboard's forms. */
function withFieldOf({ to }: CreatePayment, refused: Refused): Refused {
  if (refused.field === 'recipientPhone') return { ...refused, field: 'to.phone' }
  if (refused.field !== 'toAddress') return refused
  return { ...refused, field: to.type === 'contact' ? 'to.contactId' : 'to.address' }
}
