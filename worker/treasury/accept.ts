import type { Address } from '../chain/types.ts'
import { giveUpMs } from '../domain/intent.ts'
import { formatUsdc, minusOrZero } from '../domain/money.ts'
import { leastPayout, leastPayoutText } from '../domain/payment.ts'
import { decideActive, decideAmount, type WalletFunds } from '../domain/policy.ts'
import { periodNow } from '../domain/policyPeriod.ts'
import type { Result } from '../errors.ts'
import { audit } from './audit.ts'
import { type Context, newId } from './context.ts'
import { earlier, fingerprintOf, keyOf, remember, reusedKey } from './idempotency.ts'
import { reserve, walletFunds } from './ledger.ts'
import { noticeBudget } from './notices.ts'
import { changed } from './outbox.ts'
import { insertPayout, type PayoutDraft } from './payouts.ts'
import { type Caller, callerOf, chainNow, forbiddenRecipient, isKnownRecipient, targetOf } from './plan.ts'
import { refuse } from './refusals.ts'
import { signNew } from './sign.ts'
import { accountFull, column, type PaymentRow, type WalletRow } from './store.ts'
import type { PayInput } from './types.ts'

export type Accepted = { payment: PaymentRow } & ({ replayed: true } | { replayed: false; wallet: WalletRow })

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
  const known = earlier(ctx.store, keyOf(input.principal, input.key), fingerprintOf(askedOf(input)))
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
  /** The address that was looked up last. Clear: nobody's payout has it; else one has, or that could not be asked. */
  lookup: { address: Address; isClear: boolean } | null
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
    const caller = callerOf(ctx, input.principal, input.walletId)
    // Who may not call learns nothing, not even what it paid before.
    if (!caller.ok && caller.code === 'unauthenticated') return caller
    const active = caller.ok && caller.value.policy ? decideActive(caller.value.policy) : null
    const again = active?.ok === false ? null : replay(ctx, input)
    if (again) return again
    if (store.isFull) return accountFull
    if (!caller.ok) return caller
    const { wallet, group, agent, policy } = caller.value

    const target = targetOf(ctx, caller.value, input.to)
    if ('refusal' in target) return refuse(ctx, input, target.refusal, caller.value, inputsOf(caller.value))
    let isNewRecipient = false
    if (target.address !== null && !isKnownRecipient(ctx, wallet, target.address)) {
      // A contact may have been confirmed at another address meanwhile.
      if (prepared.lookup?.address !== target.address) return { need: 'lookup', address: target.address }
      const forbidden = forbiddenRecipient(ctx, wallet, target.address)
      if (forbidden) return forbidden
      isNewRecipient = prepared.lookup.isClear
    }

    const isPayout = target.address === null
    // Only here it is known that a contact is paid by message.
    if (isPayout && input.amount < leastPayout)
      return {
        ok: false,
        code: 'invalid_input',
        message: leastPayoutText,
        field: 'amount',
      }

    const session = store.session(wallet.id)
    const funds = walletFunds(wallet, session)
    const decision = decideAmount(policy, funds, input.amount, chainNow(ctx, wallet, now), { isPayout, at: now })
    if (!decision.ok) {
      // Before refusing for balance or session the chain is read once more; a budget does not depend on it, only the
      // figures beside it do.
      if (!prepared.reread && wallet.status === 'active')
        return { need: 'reread', wallet, freshEnoughMs: decision.refusal.rule.startsWith('group.') ? 2_000 : 0 }
      return refuse(ctx, input, decision.refusal, caller.value, inputsOf(caller.value, funds, now))
    }
    const { draft } = prepared
    if (isPayout && !draft) return { need: 'draft', wallet }

    const id = isPayout ? draft!.id : newId(ctx, 'pay')
    const to = isPayout ? draft!.address : target.address!
    const epoch = session!.epoch
    const intent = signNew(ctx, wallet, session!, { id, to, amount: input.amount })
    reserve(
      store,
      { walletId: wallet.id, epoch, group, agentId: agent?.id ?? null, amount: input.amount, isPayout },
      intent ? 1 : 0,
      now,
    )
    const payment = store.insert<PaymentRow>(
      `INSERT INTO payment (id, kind, wallet_id, group_id, agent_id, policy_version, to_type, to_address, contact_id, contact_name,
         recipient_email, recipient_phone, amount, memo, status, created_at, give_up_at, epoch,
         sequence, deadline, max_deadline, sig_version, r, vs, authorization, first_block, signed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      id,
      isPayout ? 'payout' : 'send',
      wallet.id,
      group?.id ?? null,
      agent?.id ?? null,
      group?.version ?? null,
      input.contact ? 'contact' : input.to.type,
      to,
      target.contact?.contact_id ?? input.contact?.id ?? null,
      target.contact?.name ?? input.contact?.name ?? null,
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
      intent?.authorization ?? null,
      intent?.first_block ?? null,
      intent ? now : null,
    )
    if (isPayout) insertPayout(ctx, draft!, wallet)
    // Of accepted payments only: refused ones must not fill the object (threats.md B4).
    if (isNewRecipient) store.run('INSERT OR IGNORE INTO known_recipient (address) VALUES (?)', to.toLowerCase())
    if (input.key !== null)
      remember(store, keyOf(input.principal, input.key), fingerprintOf(askedOf(input)), 'payment', id, now)
    audit(store, now, 'payment.accepted', id, {
      by: agent?.id ?? 'user',
      amount: formatUsdc(input.amount),
      to,
      ...inputsOf(caller.value, funds, now),
      ...(intent && { epoch, sequence: intent.sequence, deadline: intent.deadline }),
    })
    noticeBudget(ctx, group, input.amount)
    changed(ctx, 'payment', id)
    ctx.wake('settle', now + 1000)
    return { ok: true, value: { payment, replayed: false, wallet } }
  })
}

/** What a decision was made on, for the log: the version says which policy, the figures what it was measured against. */
function inputsOf({ group, policy }: Caller, funds?: WalletFunds, at = 0): Record<string, unknown> {
  const session = funds?.session
  return {
    ...(group &&
      policy && {
        group: group.id,
        policyVersion: group.version,
        limit: policy.budget.limit === null ? null : formatUsdc(policy.budget.limit),
        spent: formatUsdc(policy.budget.spent),
        held: formatUsdc(policy.budget.held),
        ...(policy.period && { periodUsed: formatUsdc(periodNow(policy.period, at).used) }),
        ...(policy.unclaimed.limit !== null && { unclaimed: formatUsdc(policy.unclaimed.open) }),
      }),
    ...(funds && { available: formatUsdc(funds.available) }),
    ...(session && { sessionLeft: formatUsdc(minusOrZero(session.limit, session.spent + session.held)) }),
  }
}
