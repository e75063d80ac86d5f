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
import { accountFull, column, type GroupRow, type PaymentRow, type WalletRow } from './store.ts'
import type { PayInput } from './types.ts'

/** `group` as it is with this payment reserved. */
export type Accepted = { payment: PaymentRow } & (
  | { replayed: true }
  | { replayed: false; wallet: WalletRow; group: GroupRow | null }
)

const onceOf = (input: PayInput, key: string) => ({
  key: keyOf(input.principal, key),
  fingerprint: fingerprintOf([
    input.walletId,
    input.to,
    input.amount,
    input.memo,
    input.expiresInDays ?? null,
    input.senderName ?? null,
  ]),
})

/** The payment of an earlier call with this key, if there was one (I7). */
function replay(ctx: Context, once: { key: string; fingerprint: string }): Result<Accepted> | null {
  const known = earlier(ctx.store, once.key, once.fingerprint)
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
    const once = input.key === null ? null : onceOf(input, input.key)
    const again = once === null || active?.ok === false ? null : replay(ctx, once)
    if (again) return again
    if (store.isFull) return accountFull
    if (!caller.ok) return caller
    const { wallet, session, group, agent, policy } = caller.value

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
    const payment: PaymentRow = {
      id,
      kind: isPayout ? 'payout' : 'send',
      wallet_id: wallet.id,
      group_id: group?.id ?? null,
      agent_id: agent?.id ?? null,
      policy_version: group?.version ?? null,
      to_type: input.contact ? 'contact' : input.to.type,
      to_address: to,
      contact_id: target.contact?.contact_id ?? input.contact?.id ?? null,
      contact_name: target.contact?.name ?? input.contact?.name ?? null,
      recipient_email: target.email,
      recipient_phone: target.phone,
      amount: column(input.amount),
      memo: input.memo,
      status: intent ? 'PROCESSING' : 'QUEUED',
      error_code: null,
      error_message: null,
      refusal: null,
      created_at: now,
      signed_at: intent ? now : null,
      broadcast_at: null,
      confirmed_at: null,
      tx_hash: null,
      give_up_at: now + giveUpMs,
      epoch,
      sequence: intent?.sequence ?? null,
      deadline: intent?.deadline ?? null,
      max_deadline: intent?.deadline ?? null,
      sig_version: intent ? 1 : 0,
      r: intent?.r ?? null,
      vs: intent?.vs ?? null,
      first_block: intent?.first_block ?? null,
      authorization: intent?.authorization ?? null,
    }
    store.insertPayment(payment)
    if (isPayout) insertPayout(ctx, draft!, wallet)
    // Of accepted payments only: refused ones must not fill the object (threats.md B4).
    if (isNewRecipient) store.run('INSERT OR IGNORE INTO known_recipient (address) VALUES (?)', to.toLowerCase())
    if (once !== null) remember(store, once.key, once.fingerprint, 'payment', id, now)
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
    const reserved = group && { ...group, held: group.held + payment.amount }
    return { ok: true, value: { payment, replayed: false, wallet, group: reserved } }
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
