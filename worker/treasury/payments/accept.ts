import { giveUpMs } from '#domain/intent.ts'
import { formatUsdc, saturatingSub } from '#domain/money.ts'
import { minPayout, minPayoutText } from '#domain/payment.ts'
import { decideActive, decideAmount, type Refusal, type WalletFunds } from '#domain/policy.ts'
import { periodNow } from '#domain/policyPeriod.ts'
import type { Address } from '../../chain/types.ts'
import { ok, type Result, refuse } from '../../result.ts'
import type { PayInput } from '../api.ts'
import { takeFromGrant } from '../approvals/grants.ts'
import { askFirst, contactMoved, hasMoved, notAsked, replayOf } from '../approvals/inAccept.ts'
import type { ApprovalRow } from '../approvals/rows.ts'
import { whatIsAsked } from '../approvals/whatIsAsked.ts'
import { chainNow } from '../chainHeads.ts'
import { type Context, newId } from '../context.ts'
import { walletSetRefusal } from '../contracts.ts'
import { audit } from '../ledger/audit.ts'
import { walletFunds } from '../ledger/balances.ts'
import { findReplay, idempotentRequest, keyOf, remember } from '../ledger/idempotency.ts'
import { reserve } from '../ledger/ledger.ts'
import { admit, sharedNeed, takeLookup } from '../limits/admission.ts'
import { messageTo } from '../limits/messageLimits.ts'
import { newPaymentRefusal } from '../operators/stop.ts'
import { suspendedOwner } from '../operators/suspension.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { insertPayout } from '../payouts/draft.ts'
import { noticeBudget } from '../policies/budgetNotices.ts'
import { toColumn } from '../storage/columns.ts'
import type { PaymentRow } from '../storage/rows.ts'
import { accountFull } from '../storage/store.ts'
import type { Accepted, Asked } from './accepted.ts'
import { type Gathered, lookupNeed, type Need } from './needs.ts'
import { type Caller, resolveCaller, resolveTarget, type Target } from './paymentParties.ts'
import { forbiddenRecipient, lookupRefusal, recipientState, rememberRecipient, smsRefusal } from './recipients.ts'
import { recordRefusal, refusalOf } from './refusals.ts'
import { type Intent, signNew } from './sign.ts'
import { withPayment } from './slots.ts'

/** The content that makes two requests with one key the same payment. */
const contentOf = ({ walletId, to, amount, memo, expiresInDays, senderName }: PayInput) => [
  walletId,
  to,
  amount,
  memo,
  expiresInDays ?? null,
  senderName ?? null,
]

/**
 * Decides, reserves and, if session key and fresh head are in memory, signs in one synchronous transaction: no await between
 * reading a budget and taking from it. Missing input is returned as a need and changes nothing. Refusals are recorded with
 * their figures. `approved` is the approval being carried out: the owner is not asked again, and a refusal is not recorded.
 */
export function accept(
  ctx: Context,
  input: PayInput,
  gathered: Gathered,
  approved: ApprovalRow | null = null,
): Result<Accepted | Asked> | Need {
  return ctx.store.transaction(() => {
    const { store } = ctx
    const now = ctx.now()
    const caller = resolveCaller(ctx, input.principal, input.walletId)
    // A caller without valid credentials or with a suspended account learns nothing, not even what it paid before.
    if (!caller.ok && (caller.code === 'unauthenticated' || caller.code === 'account_suspended')) return caller
    const active = caller.ok && caller.value.policy ? decideActive(caller.value.policy) : null
    const request = idempotentRequest(input.principal, input.key, contentOf(input))
    const replay = active?.ok === false ? null : findReplay(store, request)
    if (replay) return replay.ok ? replayOf(ctx, replay.value) : replay
    if (store.isFull) return accountFull
    if (!caller.ok) return caller
    const stopped = suspendedOwner(ctx) ?? newPaymentRefusal(ctx)
    if (stopped) return stopped
    const { wallet, session, group, agent, policy } = caller.value
    const unknown = walletSetRefusal(ctx, wallet)
    if (unknown) return unknown

    const target = resolveTarget(ctx, caller.value, input.to)
    const refused = (refusal: Refusal, inputs: Record<string, unknown>) =>
      approved ? refusalOf(refusal) : recordRefusal(ctx, input, refusal, caller.value, inputs)
    if ('refusal' in target) return refused(target.refusal, inputsOf(caller.value))
    if (approved && hasMoved(approved, wallet, target)) return contactMoved
    const forbidden =
      (target.address && forbiddenRecipient(ctx, wallet, target.address)) ||
      (target.phone && smsRefusal(ctx, target.phone))
    if (forbidden) return forbidden
    const isPayout = target.address === null
    if (isPayout && input.amount < minPayout) return refuse('invalid_input', minPayoutText, { field: 'amount' })

    const funds = walletFunds(wallet, session, gathered.arriving)
    const decision = decideAmount(policy, funds, input.amount, chainNow(ctx, wallet, now), { isPayout, at: now })
    if (!decision.ok) {
      // Refusals for balance or session require a fresh reading of the chain. A refusal for a budget does not; only the
      // figures reported with it do.
      if (!gathered.refreshed && wallet.status === 'active' && !takeLookup(ctx, agent?.id ?? null))
        return { need: 'refresh', wallet, freshEnoughMs: decision.refusal.rule.startsWith('group.') ? 2_000 : 0 }
      return refused(decision.refusal, inputsOf(caller.value, funds, now))
    }
    const work = { wallet, agentId: agent?.id ?? null, message: messageTo(target) }
    const admission = admit(ctx, work)
    if (!admission.ok) return admission
    // These checks come last because they cause work elsewhere: a request that is refused anyway should cost nothing.
    const recipient = target.address ? recipientState(ctx, wallet, target.address, gathered.lookup) : 'known'
    if (recipient === null) return lookupNeed(ctx, wallet, work.agentId, target.address!)
    const unpayable = lookupRefusal(recipient)
    if (unpayable) return unpayable
    const { rules, grant } = approved ? notAsked : whatIsAsked(ctx, caller.value, target, input.amount)
    if (rules.length > 0) return askFirst(ctx, { input, caller: caller.value, target, rules }, request)
    const missing = sharedNeed(ctx, work, admission, gathered.grants)
    if (missing) return missing
    const { draft } = gathered
    if (isPayout && !draft) return { need: 'draft', wallet }

    const id = isPayout ? draft!.id : (approved?.payment_id ?? newId(ctx, 'pay'))
    const to = isPayout ? draft!.address : target.address!
    const epoch = session!.epoch
    const intent = signNew(ctx, wallet, session!, work.agentId, { id, to, amount: input.amount })
    reserve(
      store,
      { walletId: wallet.id, epoch, group, agentId: agent?.id ?? null, amount: input.amount, isPayout },
      intent ? 1 : 0,
      now,
    )
    const payment = {
      ...paymentRow(input, caller.value, target, { id, to, epoch, intent, isPayout, now }),
      approval_id: approved?.id ?? null,
      grant_id: grant?.id ?? null,
      request_key: request?.key ?? (approved ? keyOf(store, approved.payment_id) : null),
    }
    store.insertPayment(payment, intent && withPayment(ctx, session!, work.agentId, intent.sequence))
    if (isPayout) insertPayout(ctx, draft!, wallet)
    if (recipient === 'clear') rememberRecipient(ctx, wallet, to)
    if (grant) takeFromGrant(ctx, grant, input.amount)
    admission.commit()
    remember(store, request, 'payment', id, now)
    audit(store, now, 'payment.accepted', id, {
      by: agent?.id ?? 'user',
      amount: formatUsdc(input.amount),
      to,
      ...(approved && { approval: approved.id }),
      ...(grant && { grant: grant.id }),
      ...inputsOf(caller.value, funds, now),
      ...(intent && { epoch, sequence: intent.sequence, deadline: intent.deadline }),
    })
    enqueue(ctx, 'payment', id)
    sendPaymentEvent(ctx, 'payment.accepted', id, approved && 'PENDING_APPROVAL')
    noticeBudget(ctx, group, input.amount)
    ctx.schedule('settle', now + 1000)
    return ok({ payment, replayed: false, wallet, group: group && { ...group, held: group.held + payment.amount } })
  })
}

function paymentRow(
  input: PayInput,
  { wallet, group, agent }: Caller,
  target: Target,
  accepted: { id: string; to: Address; epoch: number; intent: Intent | null; isPayout: boolean; now: number },
): Omit<PaymentRow, 'approval_id' | 'grant_id' | 'request_key'> {
  const { id, to, epoch, intent, isPayout, now } = accepted
  return {
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
    amount: toColumn(input.amount),
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
    gas_send: null,
    gas_announce: null,
    gas_end: null,
    revert: null,
  }
}

/** The basis of the decision, for the audit log: the policy version and the figures that the amount was compared with. */
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
    ...(session && { sessionLeft: formatUsdc(saturatingSub(session.limit, session.spent + session.held)) }),
  }
}
