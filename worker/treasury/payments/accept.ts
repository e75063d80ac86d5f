import { giveUpMs } from '#domain/intent.ts'
import { isSeller } from '#domain/kinds/kinds.ts'
import { formatUsdc, saturatingSub } from '#domain/money.ts'
import { decideActive, type PaymentKind } from '#domain/policy.ts'
import { ok, type Refused, type Result } from '../../result.ts'
import { replayOf, requestApproval } from '../approvals/ask.ts'
import { takeFromGrant } from '../approvals/grants.ts'
import { type Context, newId } from '../core/context.ts'
import { rememberRecipient } from '../core/knownRecipients.ts'
import { settleEveryMs } from '../core/minedReports.ts'
import { newPayment } from '../core/storage/newPayment.ts'
import type { GroupRow, PaymentRow, WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { findReplay, type IdempotentRequest, idempotentRequest, remember } from '../ledger/idempotency.ts'
import { reserve } from '../ledger/ledger.ts'
import { takeIncrease } from '../limits/ownerPassword.ts'
import { countAlone } from '../limits/secondPerson.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { noticeBudget } from '../policies/budgets.ts'
import { type Caller, resolveCaller } from '../policies/paymentParties.ts'
import { type Basis, type Decided, decidePayment } from './decidePayment.ts'
import type { Gathered, Need } from './needs.ts'
import { insertPayout } from './payouts/draft.ts'
import { resumePurchase, signerNeed } from './purchase.ts'
import { insertOffer } from './purchases/offers.ts'
import { signPurchase } from './purchases/sign.ts'
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
    const decided = decidePayment(ctx, caller, terms, gathered, approved)
    if ('need' in decided) return decided
    if (!decided.ok && decided.by !== 'policy') return decided
    if (!decided.ok)
      return approved
        ? refusalOf(decided.refusal)
        : recordRefusal(ctx, input, decided.refusal, decided.caller, inputsOf(decided.caller, decided))
    if (decided.asks) {
      const payment = requestApproval(ctx, input, { ...decided, ...decided.asks }, request)
      return ok({ payment, replayed: false, accepted: null })
    }
    return (
      missingFor(ctx, input, decided, gathered, approved) ?? carryOut(ctx, input, decided, gathered, approved, request)
    )
  })
}

/** What carrying out the payment needs besides what it was decided by, or a refusal of the owner without a password. */
function missingFor(
  ctx: Context,
  { principal, terms }: PayInput,
  { caller: { wallet, session }, target }: Decided,
  gathered: Gathered,
  approved: PaymentRow | null,
): Refused | Need | null {
  const signer = isSeller(terms.to) && !approved ? signerNeed(ctx, wallet, session, gathered) : null
  if (signer) return signer
  if (target.address === null && !gathered.draft) return { need: 'draft', wallet }
  return principal.type === 'user' ? takeIncrease(ctx, terms.amount, principal.passwordChecked === true) : null
}

/** Reserves the amount, signs if that is possible now, and stores the payment. */
function carryOut(
  ctx: Context,
  input: PayInput,
  { caller, target, funds, kind, windows, isNumbered, isNewlyKnown, admission, grant }: Decided,
  { draft }: Gathered,
  approved: PaymentRow | null,
  request: IdempotentRequest | null,
): Result<Accepted> {
  const { store } = ctx
  const { terms } = input
  const { to, amount } = terms
  const { wallet, session, group, agent } = caller
  const agentId = agent?.id ?? null
  const run = input.principal.type === 'run' ? input.principal : null
  const now = ctx.now()
  const isPayout = target.address === null
  const isPurchase = isSeller(to)
  const id = isPayout ? draft!.id : (approved?.id ?? newId(ctx, 'pay'))
  const address = isPayout ? draft!.address : target.address!
  const epoch = isNumbered ? null : session!.epoch
  const content = { id, to: address, amount }
  // An approved purchase is signed when its agent asks for it again: it would expire before.
  const signedPurchase = isPurchase && !approved ? signPurchase(ctx, wallet, session!, content, input.offer!) : null
  const intent = isPurchase ? null : signNew(ctx, wallet, session!, caller.spender, content)
  const reservation = { walletId: wallet.id, epoch, group, agentId, amount, isPayout, to: target }
  reserve(store, { ...reservation, isNewRecipient: kind.recipient!.isNew }, intent ? 1 : 0, now, windows)
  const payment = newPayment(terms, {
    id,
    caller,
    target,
    contact: input.contact ?? null,
    to_address: address,
    status: intent || signedPurchase ? 'PROCESSING' : 'QUEUED',
    created_at: approved?.created_at ?? now,
    accepted_at: now,
    give_up_at: now + giveUpMs,
    epoch,
    ...(run && { run_id: run.runId, run_row: run.row }),
    ...(intent && signedColumns(intent, now)),
    ...signedPurchase,
    approval_id: approved?.approval_id ?? null,
    grant_id: grant?.id ?? null,
    request_key: request?.key ?? approved?.request_key ?? null,
  })
  const cached = intent && withPayment(ctx, session!, caller.spender, intent.sequence)
  if (!approved) store.insertPayment(payment, cached)
  else if (!store.update('payment', id, payment, { status: 'PENDING_APPROVAL' }))
    throw new Error('a payment was approved twice')
  if (isPayout) insertPayout(ctx, draft!, wallet)
  if (isPurchase && !approved) insertOffer(store, id, input.offer!)
  if (isNewlyKnown) rememberRecipient(ctx, wallet, address)
  if (grant) takeFromGrant(ctx, grant, amount)
  admission.commit()
  // A run counts as a whole when it is decided.
  if (!run) countAlone(ctx, { group, amount, isApproval: approved !== null })
  remember(store, request, 'payment', id, now)
  audit(store, now, 'payment.accepted', id, {
    by: agentId ?? 'user',
    ...(run && { run: run.runId, row: run.row }),
    amount: formatUsdc(amount),
    to: address,
    ...(isPurchase && { resource: to.resource }),
    ...(approved && { approval: approved.approval_id }),
    ...(grant && { grant: grant.id }),
    ...inputsOf(caller, { funds, kind }),
    ...(intent && { epoch, sequence: intent.sequence, deadline: intent.deadline }),
    ...(signedPurchase && { authorization: signedPurchase.authorization, deadline: signedPurchase.deadline }),
  })
  recordChange(ctx, id)
  sendPaymentEvent(ctx, 'payment.accepted', id, approved && 'PENDING_APPROVAL')
  noticeBudget(ctx, group, amount)
  ctx.schedule('settle', now + settleEveryMs)
  const held = group && { ...group, held: group.held + payment.amount }
  return ok({ payment, replayed: false, accepted: { wallet, group: held } })
}

/** The basis of the decision, for the audit log: the policy version and the figures that the amount was compared with. */
function inputsOf({ group, policy }: Caller, { funds, kind }: Basis): Record<string, unknown> {
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
