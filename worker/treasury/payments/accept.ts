import { giveUpMs } from '#domain/intent.ts'
import { formatUsdc, saturatingSub } from '#domain/money.ts'
import { minPayout, minPayoutText } from '#domain/payment.ts'
import { decideActive, decideAmount, mostAllowed, type PaymentKind, type WalletFunds } from '#domain/policy.ts'
import type { Refusal } from '#domain/refusal.ts'
import { classFor } from '#domain/x402/purchaseClasses.ts'
import { ok, type Result, refuse } from '../../result.ts'
import { approvalRulesFor, paymentKind } from '../approvals/approvalRules.ts'
import { contactMoved, hasMoved, noRules, replayOf, requestApproval } from '../approvals/ask.ts'
import { takeFromGrant } from '../approvals/grants.ts'
import { chainNow, unreachable } from '../core/chainHeads.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import { type Context, newId } from '../core/context.ts'
import { walletSetRefusal } from '../core/contracts.ts'
import { settleEveryMs } from '../core/minedReports.ts'
import { newPaymentRefusal } from '../core/stop.ts'
import { audit } from '../ledger/audit.ts'
import { walletFunds } from '../ledger/balances.ts'
import { findReplay, idempotentRequest, remember } from '../ledger/idempotency.ts'
import { reserve } from '../ledger/ledger.ts'
import { admit, lookupLimitRefusal, sharedNeed } from '../limits/admission.ts'
import { messageTo } from '../limits/messageLimits.ts'
import { takeIncrease } from '../limits/ownerPassword.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { insertPayout } from '../payouts/draft.ts'
import { noticeBudget } from '../policies/budgets.ts'
import { type Caller, resolveCaller, resolveTarget } from '../policies/paymentParties.ts'
import { insertOffer } from '../purchases/offers.ts'
import { classRefusal, withMost } from '../purchases/open.ts'
import { signPurchase } from '../purchases/sign.ts'
import { newPayment } from '../storage/newPayment.ts'
import type { GroupRow, PaymentRow, WalletRow } from '../storage/rows.ts'
import { accountFull } from '../storage/store.ts'
import { type Gathered, isUnread, lookupNeed, type Need } from './needs.ts'
import { hasNumbers, purchaseFunds, purchaseProblem, resumePurchase, signerNeed } from './purchase.ts'
import { forbiddenRecipient, lookupRefusal, recipientState, rememberRecipient, smsRefusal } from './recipients.ts'
import { recordRefusal, refusalOf } from './refusals.ts'
import type { PayInput } from './rpcTypes.ts'
import { signedColumns, signNew } from './sign.ts'
import { withPayment } from './slots.ts'

/** A payment that was accepted, waits for approval, or (`replayed`) was requested earlier with the same key. */
export type Accepted = {
  payment: PaymentRow
  replayed: boolean
  /** The rows of a payment that was accepted now. `group` already includes its reservation. */
  accepted: { wallet: WalletRow; group: GroupRow | null } | null
}

/**
 * Decides, reserves and, if session key and fresh head are in memory, signs in one synchronous transaction: no await between
 * reading a budget and taking from it. Missing input is returned as a need and changes nothing. Refusals are recorded with
 * their figures. `approved` is the waiting payment that the owner approves: nobody is asked again, and a refusal is not recorded.
 */
export function accept(
  ctx: Context,
  input: PayInput,
  gathered: Gathered,
  approved: PaymentRow | null = null,
): Result<Accepted> | Need {
  return ctx.store.transaction(() => {
    const { store } = ctx
    const { terms } = input
    const now = ctx.now()
    const caller = resolveCaller(ctx, input.principal, terms.wallet)
    // A caller without valid credentials or with a suspended account learns nothing, not even what it paid before.
    if (!caller.ok && (caller.code === 'unauthenticated' || caller.code === 'account_suspended')) return caller
    const active = caller.ok && caller.value.policy ? decideActive(caller.value.policy) : null
    const request = idempotentRequest(input.principal, input.key, terms)
    const replay = active?.ok === false ? null : findReplay(store, request)
    if (replay) {
      const earlier = replay.ok ? replayOf(ctx, replay.value) : replay
      if (!earlier.ok) return earlier
      const need = resumePurchase(ctx, earlier.value, gathered)
      return need ?? ok({ payment: store.payment(earlier.value.id) ?? earlier.value, replayed: true, accepted: null })
    }
    if (store.isFull) return accountFull
    if (!caller.ok) return caller
    const stopped = suspendedOwner(ctx) ?? newPaymentRefusal(ctx)
    if (stopped) return stopped
    const { wallet, session, group, agent, policy } = caller.value
    const unknown = walletSetRefusal(ctx, wallet)
    if (unknown) return unknown

    const target = resolveTarget(ctx, caller.value, terms.to)
    const refused = (refusal: Refusal, inputs: Record<string, unknown>) =>
      approved ? refusalOf(refusal) : recordRefusal(ctx, input, refusal, caller.value, inputs)
    if ('refusal' in target) return refused(target.refusal, inputsOf(caller.value))
    if (approved && hasMoved(approved, wallet, target)) return contactMoved
    const forbidden =
      (target.address && forbiddenRecipient(ctx, wallet, target.address)) ||
      (target.phone && smsRefusal(ctx, target.phone))
    if (forbidden) return forbidden
    const isPayout = target.address === null
    if (isPayout && terms.amount < minPayout) return refuse('invalid_input', minPayoutText, { field: 'amount' })

    const { to } = terms
    const isPurchase = to.type === 'x402'
    const problem = isPurchase && purchaseProblem(ctx, caller.value, to, terms.amount, approved)
    if (problem) return problem
    const isNumbered = hasNumbers(wallet, to)
    const funds = (isNumbered ? purchaseFunds : walletFunds)(wallet, session, gathered.arriving)
    const { kind, windows } = paymentKind(ctx, caller.value, target, terms.to, terms.amount, now)
    const decision = decideAmount(policy, funds, terms.amount, chainNow(ctx, wallet, now), kind)
    if (!decision.ok) {
      // Refusals for balance or session require a fresh reading of the chain. A refusal for a budget does not; only the
      // figures reported with it do.
      if (!gathered.refreshed && wallet.status === 'active' && !lookupLimitRefusal(ctx, agent?.id ?? null))
        return { need: 'refresh', wallet, freshEnoughMs: decision.refusal.rule.startsWith('group.') ? 2_000 : 0 }
      return isUnread(decision.refusal, gathered)
        ? unreachable
        : refused(decision.refusal, inputsOf(caller.value, funds, kind))
    }
    const usedUp = isNumbered && classRefusal(ctx, wallet, session!, agent?.id ?? null, classFor(terms.amount)!)
    if (usedUp) {
      const most = mostAllowed(policy, funds, chainNow(ctx, wallet, now), kind)
      return refused(withMost(usedUp, most), inputsOf(caller.value, funds, kind))
    }
    const work = { wallet, agentId: agent?.id ?? null, message: messageTo(target), isPurchase }
    const admission = admit(ctx, work)
    if (!admission.ok) return admission
    // These checks come last because they cause work elsewhere: a request that is refused anyway should cost nothing.
    const recipient = target.address ? recipientState(ctx, wallet, target.address, gathered.lookup) : 'known'
    if (recipient === null) return lookupNeed(ctx, wallet, work.agentId, target.address!)
    const unpayable = lookupRefusal(recipient)
    if (unpayable) return unpayable
    const { rules, grant } = approved ? noRules : approvalRulesFor(ctx, caller.value, target, terms.amount, kind)
    if (rules.length > 0) {
      const waiting = requestApproval(ctx, input, { caller: caller.value, target, rules }, request)
      return waiting.ok ? ok({ payment: waiting.value, replayed: false, accepted: null }) : waiting
    }
    const missing =
      sharedNeed(ctx, work, admission, gathered.grants) ??
      (isPurchase && !approved ? signerNeed(ctx, wallet, session, gathered) : null)
    if (missing) return missing
    const { draft } = gathered
    if (isPayout && !draft) return { need: 'draft', wallet }
    const byOwner = input.principal.type === 'user' && input.principal
    const unconfirmed = byOwner && takeIncrease(ctx, terms.amount, byOwner.passwordChecked === true)
    if (unconfirmed) return unconfirmed

    const id = isPayout ? draft!.id : (approved?.id ?? newId(ctx, 'pay'))
    const address = isPayout ? draft!.address : target.address!
    const epoch = isNumbered ? null : session!.epoch
    const content = { id, to: address, amount: terms.amount }
    // An approved purchase is signed when its agent asks for it again: it would expire before.
    const handedOut = isPurchase && !approved ? signPurchase(ctx, wallet, session!, content, input.offer!) : null
    const intent = isPurchase ? null : signNew(ctx, wallet, session!, work.agentId, content)
    reserve(
      store,
      {
        walletId: wallet.id,
        epoch,
        group,
        agentId: agent?.id ?? null,
        amount: terms.amount,
        isPayout,
        to: target,
        isNewRecipient: kind.recipient!.isNew,
      },
      intent ? 1 : 0,
      now,
      windows,
    )
    const payment = newPayment(terms, {
      id,
      caller: caller.value,
      target,
      contact: input.contact ?? null,
      to_address: address,
      status: intent || handedOut ? 'PROCESSING' : 'QUEUED',
      created_at: approved?.created_at ?? now,
      accepted_at: now,
      give_up_at: now + giveUpMs,
      epoch,
      ...(intent && signedColumns(intent, now)),
      ...handedOut,
      approval_id: approved?.approval_id ?? null,
      grant_id: grant?.id ?? null,
      request_key: request?.key ?? approved?.request_key ?? null,
    })
    const cached = intent && withPayment(ctx, session!, work.agentId, intent.sequence)
    if (!approved) store.insert('payment', payment, cached)
    else if (!store.update('payment', id, payment, { status: 'PENDING_APPROVAL' }))
      throw new Error('a payment was approved twice')
    if (isPayout) insertPayout(ctx, draft!, wallet)
    if (isPurchase && !approved) insertOffer(store, id, input.offer!)
    if (recipient === 'clear') rememberRecipient(ctx, wallet, address)
    if (grant) takeFromGrant(ctx, grant, terms.amount)
    admission.commit()
    remember(store, request, 'payment', id, now)
    audit(store, now, 'payment.accepted', id, {
      by: agent?.id ?? 'user',
      amount: formatUsdc(terms.amount),
      to: address,
      ...(isPurchase && { resource: to.resource }),
      ...(approved && { approval: approved.approval_id }),
      ...(grant && { grant: grant.id }),
      ...inputsOf(caller.value, funds, kind),
      ...(intent && { epoch, sequence: intent.sequence, deadline: intent.deadline }),
      ...(handedOut && { authorization: handedOut.authorization, deadline: handedOut.deadline }),
    })
    recordChange(ctx, id)
    sendPaymentEvent(ctx, 'payment.accepted', id, approved && 'PENDING_APPROVAL')
    noticeBudget(ctx, group, terms.amount)
    ctx.schedule('settle', now + settleEveryMs)
    const held = group && { ...group, held: group.held + payment.amount }
    return ok({ payment, replayed: false, accepted: { wallet, group: held } })
  })
}

/** The basis of the decision, for the audit log: the policy version and the figures that the amount was compared with. */
function inputsOf({ group, policy }: Caller, funds?: WalletFunds, kind?: PaymentKind): Record<string, unknown> {
  const session = funds?.session
  return {
    ...(group &&
      policy && {
        group: group.id,
        policyVersion: group.version,
        limit: policy.budget.limit === null ? null : formatUsdc(policy.budget.limit),
        spent: formatUsdc(policy.budget.spent),
        held: formatUsdc(policy.budget.held),
        ...(kind && usedInWords(kind.used)),
        ...(policy.rules.maxUnclaimed !== null && { unclaimed: formatUsdc(policy.unclaimed) }),
      }),
    ...(funds && { available: formatUsdc(funds.available) }),
    ...(session && { sessionLeft: formatUsdc(saturatingSub(session.limit, session.spent + session.held)) }),
  }
}

/** What each rule with a window had counted: micro-USDC, or a number of payments. */
function usedInWords(used: PaymentKind['used']): Record<string, unknown> {
  const entries = Object.entries(used)
  return entries.length === 0
    ? {}
    : { used: Object.fromEntries(entries.map(([name, each]) => [name, each.used.toString()])) }
}
