import type { Address } from '../chain/types.ts'
import { decideRecipient, type GroupPolicy, type Refusal } from '../domain/policy.ts'
import type { Refused, Result } from '../errors.ts'
import type { Context } from './context.ts'
import { groupPolicy } from './ledger.ts'
import type { AgentRow, CredentialRow, GroupRow, SessionRow, WalletRow, WhitelistRow } from './store.ts'
import type { Principal, Recipient } from './types.ts'

/** Who asks, the wallet it pays from, and the policy as it stands; no policy for the owner. */
export type Caller = {
  wallet: WalletRow
  session: SessionRow | null
  group: GroupRow | null
  agent: AgentRow | null
  policy: GroupPolicy | null
}
/** Where the money goes once policy and whitelist have spoken. */
export type Target = {
  address: Address | null
  email: string | null
  phone: string | null
  contact: WhitelistRow | null
}

const notFound = (what: string, field: string): Refused => ({
  ok: false,
  code: 'not_found',
  message: `${what} not found.`,
  field,
})

/** Reads only; asked on every call, inside the transaction that decides. */
export function callerOf(ctx: Context, principal: Principal, walletId: string | null): Result<Caller> {
  const { store } = ctx
  if (principal.type === 'user') {
    const wallet = walletId ? store.liveWallet(walletId) : null
    return wallet
      ? { ok: true, value: { wallet, session: store.session(wallet.id), group: null, agent: null, policy: null } }
      : notFound('Wallet', 'walletId')
  }
  const [credential, agent, group, wallet, session] =
    store.joined<[CredentialRow, AgentRow, GroupRow | null, WalletRow | null, SessionRow | null]>(
      agentQuery,
      principal.credentialHash,
      principal.agentId,
    ) ?? []
  if (!credential || !agent || (credential.expires_at !== null && credential.expires_at <= ctx.now()))
    return {
      ok: false,
      code: 'unauthenticated',
      message: 'Authentication failed: these agent credentials are no longer valid.',
    }
  if (!group || !wallet) return notFound('Policy group', 'policyGroupId')
  const policy = groupPolicy(group, agent, store.accountPaused)
  return { ok: true, value: { wallet, session: session ?? null, group, agent, policy } }
}

/** All that decides about an agent, in one look-up. */
const agentQuery = `
  SELECT credential.*, 0 AS "|", agent.*, 0 AS "|", policy_group.*, 0 AS "|", wallet.*, 0 AS "|", session.*
  FROM credential
  JOIN agent ON agent.id = credential.agent_id AND agent.deleted_at IS NULL
  LEFT JOIN policy_group ON policy_group.id = agent.group_id AND policy_group.deleted_at IS NULL
  LEFT JOIN wallet ON wallet.id = policy_group.wallet_id
  LEFT JOIN session ON session.wallet_id = wallet.id AND session.current = 1
  WHERE credential.hash = ? AND agent.id = ?`

/** Where the money would go, or the policy's no to this recipient. For contacts the whitelist's snapshot decides. */
export function targetOf(ctx: Context, { group, policy }: Caller, to: Recipient): Target | { refusal: Refusal } {
  const contact =
    to.type === 'contact' && group
      ? ctx.store.first<WhitelistRow>(
          'SELECT * FROM whitelist WHERE group_id = ? AND contact_id = ?',
          group.id,
          to.contactId,
        )
      : null
  const target = to.type === 'contact' ? contactTarget(contact, to.method) : plainTarget(to)
  if (!policy) return target
  const { email, phone } = target
  const decision = decideRecipient(
    policy,
    to.type === 'contact'
      ? {
          type: 'contact',
          email,
          phone,
          whitelisted: contact !== null,
          stale: contact?.stale === 1,
          hasMethod: Boolean(target.address ?? email ?? phone),
        }
      : { type: to.type, email, phone },
  )
  return decision.ok ? target : { refusal: decision.refusal }
}

function plainTarget(to: Recipient): Target {
  return {
    address: to.type === 'address' ? to.address : null,
    email: to.type === 'email' ? to.email.toLowerCase() : null,
    phone: to.type === 'phone' ? to.phone : null,
    contact: null,
  }
}

/** Without a method the cheapest for the recipient is taken: address, then email, then phone. */
function contactTarget(contact: WhitelistRow | null, method: 'address' | 'email' | 'phone' | undefined): Target {
  const chosen = method ?? (contact?.address ? 'address' : contact?.email ? 'email' : 'phone')
  return {
    address: chosen === 'address' ? (contact?.address ?? null) : null,
    email: chosen === 'email' ? (contact?.email ?? null) : null,
    phone: chosen === 'phone' ? (contact?.phone ?? null) : null,
    contact,
  }
}

/** Expiry is judged by chain time where it is known: the machine's clock may differ. */
export function chainNow(ctx: Context, wallet: WalletRow, now: number): number {
  const head = ctx.heads.get(wallet.chain_id)
  return head ? head.block.timestamp * 1000 + (now - head.readAt) : now
}

/** Where it is noted that an address is some user's payout. */
export const payoutAddressKey = (address: string) => `payout_address:${address.toLowerCase()}`

/** Looked up before, found harmless: an address cannot become a payout's later, since that needs keys nobody has yet. */
export function isKnownRecipient(ctx: Context, wallet: WalletRow, address: Address): boolean {
  if (sameAddress(address, wallet.address)) return false
  const key = address.toLowerCase()
  if (ctx.recipients.has(key)) return true
  if (!ctx.store.first('SELECT 1 FROM known_recipient WHERE address = ?', key)) return false
  if (ctx.recipients.size >= 1_000) ctx.recipients.clear()
  ctx.recipients.add(key)
  return true
}

const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** Money sent there would be lost or come back at once (decisions.md 26). Other users' payouts are looked up before. */
export function forbiddenRecipient(ctx: Context, wallet: WalletRow, to: Address | null): Refused | null {
  if (to === null) return null
  const wrong = (message: string): Refused => ({ ok: false, code: 'invalid_input', message, field: 'toAddress' })
  if (/^0x0{40}$/.test(to)) return wrong('The zero address cannot receive payments.')
  if (sameAddress(to, wallet.address)) return wrong('A wallet cannot pay itself.')
  // Of every chain: a recipient that is known was looked at on one of them.
  for (const { contracts } of Object.values(ctx.chains)) {
    const { usdc, ...ours } = contracts
    if (sameAddress(to, usdc)) return wrong('The USDC contract cannot receive payments.')
    if (Object.values(ours).some((contract) => sameAddress(to, contract)))
      return wrong('This contract cannot receive payments.')
  }
  const payout =
    ctx.store.first('SELECT 1 FROM payout WHERE address = ? COLLATE NOCASE', to) ?? ctx.store.meta(payoutAddressKey(to))
  return payout ? payoutRefused : null
}
export const payoutRefused: Refused = {
  ok: false,
  code: 'invalid_input',
  message: 'This is the address of a payout. Create a new payout instead.',
  field: 'toAddress',
}
