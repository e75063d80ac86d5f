import { decideRecipient } from '#domain/decideRecipient.ts'
import { isSeller } from '#domain/kinds/kinds.ts'
import type { GroupPolicy } from '#domain/policy.ts'
import type { Refusal } from '#domain/refusal.ts'
import { hostOf } from '#domain/x402/seller.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { unknownCredential } from '../../errors.ts'
import { notFound, ok, type Result, refuse } from '../../result.ts'
import { suspendedAgent } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { runs, type Spender } from '../core/spender.ts'
import { groupPolicy } from '../core/storage/groupPolicy.ts'
import type { Target } from '../core/storage/newPayment.ts'
import type { AgentRow, CredentialRow, GroupRow, SessionRow, WalletRow, WhitelistRow } from '../core/storage/rows.ts'
import { whitelistRow } from './whitelist.ts'

/** The caller, the wallet that pays, and the current policy. Owners and runs are not bound by a policy. */
export type Caller = {
  wallet: WalletRow
  session: SessionRow | null
  group: GroupRow | null
  agent: AgentRow | null
  policy: GroupPolicy | null
  spender: Spender
}

/** Read-only. Runs on every call, inside the transaction that decides. */
export function resolveCaller(ctx: Context, principal: Principal, walletId: string | null): Result<Caller> {
  const { store } = ctx
  if (principal.type !== 'agent') {
    const wallet = walletId ? store.liveWallet(walletId) : null
    return wallet
      ? ok({ wallet, session: store.session(wallet.id), ...unbound, spender: principal.type === 'run' ? runs : null })
      : notFound('Wallet', 'walletId')
  }
  const [credential, agent, group, wallet, session] =
    store.joined<[CredentialRow, AgentRow, GroupRow | null, WalletRow | null, SessionRow | null]>(
      agentQuery,
      principal.credentialHash,
      principal.agentId,
    ) ?? []
  if (!credential || !agent || (credential.expires_at !== null && credential.expires_at <= ctx.now()))
    return refuse('unauthenticated', unknownCredential)
  const suspended = suspendedAgent(ctx)
  if (suspended) return suspended
  if (!group || !wallet) return notFound('Policy group', 'policyGroupId')
  const policy = groupPolicy(group, agent, store.accountPaused)
  return ok({ wallet, session: session ?? null, group, agent, policy, spender: agent.id })
}

/** Of those whom no policy binds: the owner, and runs that were decided. */
const unbound = { group: null, agent: null, policy: null }

/** Everything that a decision about an agent depends on, in one query. */
const agentQuery = `
  SELECT credential.*, 0 AS "|", agent.*, 0 AS "|", policy_group.*, 0 AS "|", wallet.*, 0 AS "|", session.*
  FROM credential
  JOIN agent ON agent.id = credential.agent_id AND agent.deleted_at IS NULL
  LEFT JOIN policy_group ON policy_group.id = agent.group_id AND policy_group.deleted_at IS NULL
  LEFT JOIN wallet ON wallet.id = policy_group.wallet_id
  LEFT JOIN session ON session.wallet_id = wallet.id AND session.current = 1
  WHERE credential.hash = ? AND agent.id = ?`

/** Where the money would go, or the policy's refusal of this recipient. Contacts are paid at their whitelisted snapshot. */
export function resolveTarget(
  ctx: Context,
  { group, policy }: Pick<Caller, 'group' | 'policy'>,
  to: Recipient,
): Target | { refusal: Refusal } {
  const contact = to.type === 'contact' && group ? whitelistRow(ctx.store, group.id, to.contactId) : null
  const target = to.type === 'contact' ? contactTarget(contact, to.method) : plainTarget(to)
  if (!policy) return target
  const { email, phone } = target
  const decision = decideRecipient(
    policy,
    to.type === 'contact'
      ? {
          type: 'contact',
          address: target.address,
          email,
          phone,
          whitelisted: contact !== null,
          stale: contact?.stale === 1,
          hasMethod: Boolean(target.address ?? email ?? phone),
        }
      : { type: to.type, address: target.address, email, phone, host: target.seller },
  )
  return decision.ok ? target : { refusal: decision.refusal }
}

function plainTarget(to: Recipient): Target {
  return {
    address: to.type === 'address' || isSeller(to) ? to.address : null,
    email: to.type === 'email' ? to.email : null,
    phone: to.type === 'phone' ? to.phone : null,
    seller: isSeller(to) ? hostOf(to.resource) : null,
    contact: null,
  }
}

/** If no method is given, uses the cheapest one for the recipient: address, then email, then phone. */
function contactTarget(contact: WhitelistRow | null, method: 'address' | 'email' | 'phone' | undefined): Target {
  const chosen = method ?? (contact?.address ? 'address' : contact?.email ? 'email' : 'phone')
  return {
    address: chosen === 'address' ? (contact?.address ?? null) : null,
    email: chosen === 'email' ? (contact?.email ?? null) : null,
    phone: chosen === 'phone' ? (contact?.phone ?? null) : null,
    seller: null,
    contact,
  }
}
