import type { AgentPrincipal } from '../appEnv.ts'
import { type Scope, scopeFor } from '../domain/scopes.ts'
import { checksumAddress } from '../domain/validators.ts'
import type { Env } from '../env.ts'
import type { Refused, Result } from '../errors.ts'
import type {
  CreatePayment,
  Payment,
  PaymentCheck,
  PaymentContext,
  PaymentList,
  PaymentsQuery,
} from '../schemas/payment.ts'
import type { Principal, Recipient } from '../treasury/types.ts'

/**
 * What an agent can do, for REST and MCP alike: input has passed the schemas of schemas/payment.ts, answers are the
 * JSON of /v1, refusals are values. The Treasury re-checks credential, agent and group on every call.
 */
type Caller = { env: Pick<Env, 'TREASURY'>; agent: AgentPrincipal }

/** `key` is the Idempotency-Key; REST and MCP share one space of them per agent. */
export async function createPayment(
  caller: Caller,
  key: string,
  input: CreatePayment,
): Promise<Result<{ payment: Payment; replayed: boolean }>> {
  const missing = missingScope(caller.agent, scopeFor[input.to.type])
  if (missing) return missing
  return treasury(caller).payAsAgent({ principal: principal(caller), key, walletId: null, ...asked(input) })
}

/** Would this be allowed now? Reserves and records nothing. */
export async function checkPayment(caller: Caller, input: CreatePayment): Promise<Result<PaymentCheck>> {
  const missing = missingScope(caller.agent, scopeFor[input.to.type])
  if (missing) return missing
  return treasury(caller).checkPayment(principal(caller), asked(input))
}

/** The caller's own payments only; any other id is `not_found`. */
export async function getPayment(caller: Caller, id: string): Promise<Result<Payment>> {
  return treasury(caller).payment(principal(caller), id)
}

/** Newest first. */
export async function listPayments(caller: Caller, { limit, cursor }: PaymentsQuery): Promise<Result<PaymentList>> {
  const result = await treasury(caller).payments(principal(caller), limit, cursor ?? null)
  if (!result.ok) return result
  const { payments, last, more } = result.value
  const next = more && last ? btoa(`${last.createdAt}:${last.id}`).replace(/=+$/, '') : null
  return { ok: true, value: { data: payments, next_cursor: next, has_more: more } }
}

/** Only while nothing of it is signed; the answer is the payment, CANCELLED. Takes the scope that it took to pay. */
export async function cancelPayment(caller: Caller, id: string): Promise<Result<Payment>> {
  const found = await getPayment(caller, id)
  if (!found.ok) return found
  const missing = missingScope(caller.agent, scopeFor[found.value.to.type])
  if (missing) return missing
  return treasury(caller).cancelPayment(principal(caller), id)
}

/** Who asks, and what it may do now. */
export async function paymentContext(caller: Caller): Promise<Result<PaymentContext>> {
  const result = await treasury(caller).agentContext(principal(caller))
  if (!result.ok) return result
  const { agent, group, maxAllowedNow } = result.value
  return {
    ok: true,
    value: {
      agent: { id: agent.id, name: agent.name },
      policy_group: {
        id: group.id,
        name: group.name,
        version: group.version,
        scopes: group.scopes,
        wallet: group.wallet?.address ?? null,
        chain: group.wallet?.chain ?? null,
        contacts: group.whitelistedContacts.map(({ contact, stale }) => ({ ...contact, stale })),
      },
      budget: {
        limit: group.spendLimitUsdc,
        spent: group.currentSpent,
        held: group.held,
        remaining: group.remaining,
      },
      max_allowed_now: maxAllowedNow,
    },
  }
}

/** The token may carry less than the group allows now: then another token helps. What the group lacks is the Treasury's to say. */
export function missingScope(agent: AgentPrincipal, scope: Scope): Refused | null {
  if (agent.scopes.includes(scope)) return null
  return {
    ok: false,
    code: 'insufficient_scope',
    message: `This call needs the scope ${scope}, which this access token does not carry.`,
    refusal: {
      rule: 'token.scope',
      scope,
      next: `Ask POST /oauth/token for the scope ${scope} as well.`,
      max_allowed_now: '0',
    },
  }
}

const treasury = ({ env, agent }: Caller) => env.TREASURY.getByName(agent.userId)

const principal = ({ agent: { agentId, credentialHash, tokenId } }: Caller): Principal => ({
  type: 'agent',
  agentId,
  credentialHash,
  ...(tokenId && { tokenId }),
})

const asked = ({ to, amount, memo }: CreatePayment) => ({ to: recipientOf(to), amount, memo: memo || null })

/** Letters in mixed case have been held against their checksum by the schema. */
const checksummed = (address: `0x${string}`) =>
  /[a-f].*[A-F]|[A-F].*[a-f]/.test(address) ? address : checksumAddress(address)

export function recipientOf(to: CreatePayment['to']): Recipient {
  if (to.type === 'address') return { type: 'address', address: checksummed(to.address) }
  if (to.type === 'contact')
    return { type: 'contact', contactId: to.contactId, ...(to.method && { method: to.method }) }
  return to
}
