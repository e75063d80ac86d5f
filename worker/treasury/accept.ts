import type { Address } from '../chain/types.ts'
import { giveUpMs } from '../domain/intent.ts'
import { formatUsdc } from '../domain/money.ts'
import { leastPayout } from '../domain/payment.ts'
import { decideAmount, decideRecipient, type Refusal } from '../domain/policy.ts'
import type { Refused, Result } from '../errors.ts'
import { audit } from './audit.ts'
import { type Context, newId } from './context.ts'
import { earlier, fingerprintOf, keyHash, remember, reusedKey } from './idempotency.ts'
import { groupPolicy, reserve, walletFunds } from './ledger.ts'
import { changed } from './outbox.ts'
import { insertPayout, type PayoutDraft } from './payouts.ts'
import { signNew } from './sign.ts'
import { type AgentRow, column, type GroupRow, type PaymentRow, type WalletRow, type WhitelistRow } from './store.ts'
import type { PayInput, Recipient } from './types.ts'

/** Refusals are written at most this often, so that an agent in a loop cannot fill the object. */
const refusalsPerMinute = 60

export type Accepted = { payment: PaymentRow } & ({ replayed: true } | { replayed: false; wallet: WalletRow })

/** Where the money goes once policy and whitelist have spoken. */
type Target = {
  address: Address | null
  email: string | null
  phone: string | null
  contact: WhitelistRow | null
}
type Plan = {
  wallet: WalletRow
  group: GroupRow | null
  agent: AgentRow | null
  target: Target
}

const notFound = (what: string, field: string): Refused => ({
  ok: false,
  code: 'not_found',
  message: `${what} not found.`,
  field,
})

/** Who pays from which wallet to whom. Reads only; run again inside the transaction that reserves. */
function planOf(
  ctx: Context,
  input: PayInput,
): Result<Plan> | { ok: false; policy: Refusal; wallet: WalletRow; group: GroupRow; agent: AgentRow } {
  const { store } = ctx
  const { principal, to } = input
  if (principal.type === 'user') {
    const wallet = input.walletId ? store.wallet(input.walletId) : null
    if (!wallet) return notFound('Wallet', 'walletId')
    return { ok: true, value: { wallet, group: null, agent: null, target: plainTarget(to) } }
  }
  const agent = store.first<AgentRow & { credential_ends: number | null }>(
    `SELECT agent.*, credential.expires_at AS credential_ends FROM credential JOIN agent ON agent.id = credential.agent_id
     WHERE credential.hash = ? AND agent.id = ? AND agent.deleted_at IS NULL`,
    principal.credentialHash,
    principal.agentId,
  )
  if (!agent || (agent.credential_ends !== null && agent.credential_ends <= ctx.now()))
    return {
      ok: false,
      code: 'unauthenticated',
      message: 'Authentication failed: these agent credentials are no longer valid.',
    }
  const group = store.group(agent.group_id)
  const wallet = group && store.wallet(group.wallet_id)
  if (!group || !wallet) return notFound('Policy group', 'policyGroupId')

  const contact =
    to.type === 'contact'
      ? store.first<WhitelistRow>(
          'SELECT * FROM whitelist WHERE group_id = ? AND contact_id = ?',
          group.id,
          to.contactId,
        )
      : null
  const target = to.type === 'contact' ? contactTarget(contact, to.method) : plainTarget(to)
  const decision = decideRecipient(
    groupPolicy(group, agent, false),
    to.type === 'contact'
      ? {
          type: 'contact',
          whitelisted: contact !== null,
          stale: contact?.stale === 1,
          hasMethod: Boolean(target.address ?? target.email ?? target.phone),
        }
      : { type: to.type },
  )
  if (!decision.ok) return { ok: false, policy: decision.refusal, wallet, group, agent }
  return { ok: true, value: { wallet, group, agent, target } }
}

function plainTarget(to: Recipient): Target {
  return {
    address: to.type === 'address' ? to.address : null,
    email: to.type === 'email' ? to.email.toLowerCase() : null,
    phone: to.type === 'phone' ? to.phone : null,
    contact: null,
  }
}

/** Without a method the cheapest for the recipient is taken: address, then e-mail, then phone. */
function contactTarget(contact: WhitelistRow | null, method: 'address' | 'email' | 'phone' | undefined): Target {
  const chosen = method ?? (contact?.address ? 'address' : contact?.email ? 'email' : 'phone')
  return {
    address: chosen === 'address' ? (contact?.address ?? null) : null,
    email: chosen === 'email' ? (contact?.email ?? null) : null,
    phone: chosen === 'phone' ? (contact?.phone ?? null) : null,
    contact,
  }
}

const askedOf = (input: PayInput) => [
  input.walletId,
  input.to,
  input.amount,
  input.memo,
  input.expiresInDays ?? null,
  input.senderName ?? null,
]

/** The payment of an earlier call with this key, if there was one (I7). */
function replay(ctx: Context, input: PayInput): Result<Accepted> | null {
  if (input.key === null) return null
  const known = earlier(ctx.store, keyHash(input.principal, input.key), fingerprintOf(askedOf(input)))
  if (known === null) return null
  if (known === 'reused') return reusedKey
  return { ok: true, value: { payment: ctx.store.payment(known.ref)!, replayed: true } }
}

/** What has to be awaited before a payment can be decided; done at most once each per call. */
export type Need =
  | { need: 'draft'; wallet: WalletRow }
  | { need: 'lookup'; address: Address }
  /** A reading that is not older will do. */
  | { need: 'reread'; wallet: WalletRow; freshEnoughMs: number }
export type Prepared = {
  draft: PayoutDraft | null
  /** 'clear': nobody's payout has this address. 'done': it has, or that could not be asked. */
  lookup: 'clear' | 'done' | null
  reread: boolean
}

/**
 * Decide, reserve and, where key and head are at hand, sign in one synchronous transaction: no await between reading a
 * budget and taking from it. What is missing comes back as a need and changes nothing. Refusals are recorded with
 * their figures.
 */
export function accept(ctx: Context, input: PayInput, prepared: Prepared): Result<Accepted> | Need {
  return ctx.store.transaction(() => {
    const { store } = ctx
    const now = ctx.now()
    const again = replay(ctx, input)
    if (again) return again
    if (store.isFull)
      return { ok: false, code: 'unavailable', message: 'This account is full. Please contact support.' }

    const plan = planOf(ctx, input)
    if ('policy' in plan) return refuse(ctx, input, plan.policy, plan)
    if (!plan.ok) return plan
    const { wallet, group, agent, target } = plan.value
    if (target.address !== null && !isKnownRecipient(ctx, wallet, target.address)) {
      if (prepared.lookup === null) return { need: 'lookup', address: target.address }
      const forbidden = forbiddenRecipient(ctx, wallet, target.address)
      if (forbidden) return forbidden
      if (prepared.lookup === 'clear')
        store.run('INSERT OR IGNORE INTO known_recipient (address) VALUES (?)', target.address.toLowerCase())
    }

    const isPayout = target.address === null
    // Only here it is known that a contact is paid by message.
    if (isPayout && input.amount < leastPayout)
      return {
        ok: false,
        code: 'invalid_input',
        message: 'A payout must be at least 0.10 USDC',
        field: 'amount',
      }

    const session = store.session(wallet.id)
    const decision = decideAmount(
      group && groupPolicy(group, agent, false),
      walletFunds(wallet, session),
      input.amount,
      chainNow(ctx, wallet, now),
    )
    if (!decision.ok) {
      // Before refusing for balance or session the chain is read once more; a budget does not depend on it, only the
      // figures beside it do.
      if (!prepared.reread && wallet.status === 'active')
        return { need: 'reread', wallet, freshEnoughMs: decision.refusal.code === 'budget_exceeded' ? 2_000 : 0 }
      return refuse(ctx, input, decision.refusal, plan.value)
    }
    const { draft } = prepared
    if (isPayout && !draft) return { need: 'draft', wallet }

    const id = isPayout ? draft!.id : newId(ctx, 'pay')
    const to = isPayout ? draft!.address : target.address!
    const epoch = session!.epoch
    const intent = signNew(ctx, wallet, session!, { to, amount: input.amount })
    reserve(
      store,
      { walletId: wallet.id, epoch, groupId: group?.id ?? null, agentId: agent?.id ?? null, amount: input.amount },
      intent ? 1 : 0,
      now,
    )
    const payment = store.insert<PaymentRow>(
      `INSERT INTO payment (id, kind, wallet_id, group_id, agent_id, policy_version, to_type, to_address, contact_id, contact_name,
         recipient_email, recipient_phone, amount, memo, status, created_at, give_up_at, epoch,
         sequence, deadline, max_deadline, sig_version, r, vs, first_block, signed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      id,
      isPayout ? 'payout' : 'send',
      wallet.id,
      group?.id ?? null,
      agent?.id ?? null,
      group?.version ?? null,
      input.to.type,
      to,
      target.contact?.contact_id ?? null,
      target.contact?.name ?? null,
      target.email,
      target.phone,
      column(input.amount),
      input.memo,
      intent ? 'PROCESSING' : 'QUEUED',
      now,
      now + giveUpMs,
      epoch,
      intent?.sequence ?? null,
      intent?.deadline ?? null,
      intent?.deadline ?? null,
      intent ? 1 : 0,
      intent?.r ?? null,
      intent?.vs ?? null,
      intent?.first_block ?? null,
      intent ? now : null,
    )
    if (isPayout) insertPayout(ctx, draft!, wallet)
    if (input.key !== null)
      remember(store, keyHash(input.principal, input.key), fingerprintOf(askedOf(input)), 'payment', id, now)
    audit(store, now, 'payment.accepted', id, {
      by: agent?.id ?? 'user',
      amount: formatUsdc(input.amount),
      to,
      ...(group && {
        group: group.id,
        policyVersion: group.version,
        spent: formatUsdc(BigInt(group.spent)),
        held: formatUsdc(BigInt(group.held)),
        limit: group.spend_limit === null ? null : formatUsdc(BigInt(group.spend_limit)),
      }),
      ...(intent && { epoch, sequence: intent.sequence, deadline: intent.deadline }),
    })
    changed(ctx, 'payment', id)
    ctx.wake('settle', now + 1000)
    return { ok: true, value: { payment, replayed: false, wallet } }
  })
}

/** Expiry is judged by chain time where it is known: the machine's clock may differ. */
function chainNow(ctx: Context, wallet: WalletRow, now: number): number {
  const head = ctx.heads.get(wallet.chain_id)
  return head ? head.block.timestamp * 1000 + (now - head.readAt) : now
}

/** Where it is noted that an address is some user's payout. */
export const payoutAddressKey = (address: string) => `payout_address:${address.toLowerCase()}`

/** Looked up before, found harmless: an address cannot become a payout's later, since that needs keys nobody has yet. */
const isKnownRecipient = (ctx: Context, wallet: WalletRow, address: Address) =>
  !sameAddress(address, wallet.address) &&
  ctx.store.first('SELECT 1 FROM known_recipient WHERE address = ?', address.toLowerCase()) !== null

const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** Money sent there would be lost or come back at once (decisions.md 26). Other users' payouts are looked up before. */
function forbiddenRecipient(ctx: Context, wallet: WalletRow, to: Address | null): Refused | null {
  if (to === null) return null
  const wrong = (message: string): Refused => ({ ok: false, code: 'invalid_input', message, field: 'toAddress' })
  if (/^0x0{40}$/.test(to)) return wrong('The zero address cannot receive payments.')
  if (sameAddress(to, wallet.address)) return wrong('A wallet cannot pay itself.')
  const { usdc, ...ours } = ctx.chains[wallet.chain_id].contracts
  if (sameAddress(to, usdc)) return wrong('The USDC contract cannot receive payments.')
  if (Object.values(ours).some((contract) => sameAddress(to, contract)))
    return wrong('This contract cannot receive payments.')
  const payout =
    ctx.store.first('SELECT 1 FROM payout WHERE address = ? COLLATE NOCASE', to) ?? ctx.store.meta(payoutAddressKey(to))
  return payout ? wrong('This is the address of a payout. Create a new payout instead.') : null
}

function refuse(
  ctx: Context,
  input: PayInput,
  refusal: Refusal,
  plan: { wallet: WalletRow; group: GroupRow | null; agent: AgentRow | null },
): Refused {
  const { store } = ctx
  const now = ctx.now()
  const { figures } = refusal
  const answer: Refused = {
    ok: false,
    code: refusal.code,
    message: refusal.message,
    ...(refusal.code === 'insufficient_balance' || refusal.code.endsWith('exceeded') ? { field: 'amount' } : {}),
    refusal: {
      rule: refusal.rule,
      next: refusal.next,
      max_allowed_now: formatUsdc(refusal.maxAllowedNow),
      ...(figures && {
        limit: figures.limit === null ? null : formatUsdc(figures.limit),
        spent: formatUsdc(figures.spent),
        held: formatUsdc(figures.held),
        remaining: figures.remaining === null ? null : formatUsdc(figures.remaining),
      }),
    },
  }
  if (!mayWriteRefusal(ctx, now)) return answer
  const id = newId(ctx, 'ref')
  answer.refusal!.id = id
  const { to } = input
  store.run(
    `INSERT INTO payment (id, kind, wallet_id, group_id, agent_id, policy_version, to_type, to_address, contact_id, recipient_email, recipient_phone,
       amount, memo, status, error_code, error_message, refusal, created_at, give_up_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'POLICY_REJECTED', ?, ?, ?, ?, ?)`,
    id,
    to.type === 'email' || to.type === 'phone' ? 'payout' : 'send',
    plan.wallet.id,
    plan.group?.id ?? null,
    plan.agent?.id ?? null,
    plan.group?.version ?? null,
    to.type,
    to.type === 'address' ? to.address : null,
    to.type === 'contact' ? to.contactId : null,
    to.type === 'email' ? to.email : null,
    to.type === 'phone' ? to.phone : null,
    column(input.amount),
    input.memo,
    refusal.code,
    refusal.message,
    JSON.stringify(answer),
    now,
    now,
  )
  // The key stays free: nothing happened, so the same request may succeed after a top-up (decision 001).
  audit(store, now, 'payment.refused', id, {
    by: plan.agent?.id ?? 'user',
    amount: formatUsdc(input.amount),
    rule: refusal.rule,
    policyVersion: plan.group?.version,
    ...answer.refusal,
  })
  changed(ctx, 'payment', id)
  return answer
}

function mayWriteRefusal(ctx: Context, now: number): boolean {
  const minute = Math.floor(now / 60_000)
  const written =
    ctx.store.first<{ written: number }>('SELECT written FROM refusal_rate WHERE minute = ?', minute)?.written ?? 0
  if (written >= refusalsPerMinute) return false
  ctx.store.run('DELETE FROM refusal_rate WHERE minute < ?', minute)
  ctx.store.run(
    'INSERT INTO refusal_rate (minute, written) VALUES (?, 1) ON CONFLICT (minute) DO UPDATE SET written = written + 1',
    minute,
  )
  return true
}
