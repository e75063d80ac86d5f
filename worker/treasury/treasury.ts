import type { CallerId } from '#domain/accounts.ts'
import { person, recipient } from '#domain/actor.ts'
import { maxResends } from '#domain/attempts.ts'
import { type OwnerCall, ownerMethods, ownerObjects } from '#domain/ownerCalls.ts'
import { callOf } from '#domain/roles.ts'
import type { WakeReply } from '#domain/watch.ts'
import type { PaymentCheck } from '#schemas/payment.ts'
import type { CreatePurchase, PurchaseReceipt } from '#schemas/x402.ts'
import type { Hex } from '../chain/types.ts'
import type { Position } from '../history/api.ts'
import type { JobReport } from '../relayer/api.ts'
import { andThen, notFound, ok, type Result, refuse } from '../result.ts'
import type { WalletHint } from '../watch/api.ts'
import type { WebhookFailure, WebhookTargets } from '../webhooks/api.ts'
import { Connections } from './account/connections/rpc.ts'
import { Operators } from './account/operators/rpc.ts'
import { People } from './account/people.ts'
import { Restore } from './account/restore/rpc.ts'
import { Account } from './account/rpc.ts'
import { Approvals } from './approvals/decisions/rpc.ts'
import { actingAs, actingFor } from './core/acting.ts'
import { personOf, refuseCaller } from './core/callers.ts'
import { refuseUnreachable } from './core/chainHeads.ts'
import type { Principal } from './core/rpcTypes.ts'
import { endSessions } from './core/sessions.ts'
import { freshStop } from './core/stop.ts'
import type { PayoutRow } from './core/storage/rows.ts'
import { paymentRateStates } from './limits/rates.ts'
import { changesSince } from './outbox/delivery/history.ts'
import { Notices } from './outbox/notices/rpc.ts'
import { webhookFailed, webhookTargets } from './outbox/webhooks/endpoints.ts'
import { Webhooks } from './outbox/webhooks/rpc.ts'
import type { Accepted } from './payments/accept.ts'
import { type PurchaseInput, purchaseInput, storeReceipt } from './payments/buy.ts'
import { cancelPayment } from './payments/cancel.ts'
import { check } from './payments/check.ts'
import type { Gathered } from './payments/needs.ts'
import { claim, reclaim, reclaimAll } from './payments/payouts/actions.ts'
import { claimUrlOf, resendCode } from './payments/payouts/codes.ts'
import { requestReceipt } from './payments/payouts/receipts.ts'
import type { ClaimInput, PayoutAction, RenewedBy, SendOnInput } from './payments/payouts/rpcTypes.ts'
import { sendOn, sentOn } from './payments/payouts/sendOn.ts'
import { createdPayout, escrowView } from './payments/payouts/views.ts'
import { payloadOf } from './payments/purchases/offers.ts'
import { findPayment, findTransaction, pageOfPayments, recipientHistory } from './payments/queries.ts'
import type { CheckInput, PayInput, PaymentsInput, RecipientInput } from './payments/rpcTypes.ts'
import { paymentView, transactionView } from './payments/views.ts'
import { AgentContexts } from './policies/agentContext.ts'
import { Policies } from './reports/changes/rpc.ts'
import { Review } from './reports/review/rpc.ts'
import { Reports } from './reports/rpc.ts'
import { Runs } from './runs/rpc.ts'
import { heedHints } from './settlement/hints.ts'
import { TreasuryObject } from './treasuryObject.ts'
import { deployRef, openActionRef, signedPaymentRef } from './wallets/relay/jobs.ts'
import { applyReports } from './wallets/relay/reports.ts'
import { Wallets } from './wallets/rpc.ts'

/**
 * One per user: decides, reserves, signs and settles that user's payments. Paying, claiming and what other objects call are
 * methods below. Everything else has one RPC object per subject: `treasury.approvals().approve(…)` is one round trip, and the
 * reference ends with the caller's request. Other objects live longer and use only the methods here. The rules are in
 * worker/domain.
 */
export class Treasury extends TreasuryObject {
  readonly #agentContexts = new AgentContexts(this.context)
  /** Kept, because its calls take turns. */
  readonly #restore = new Restore({
    close: (id) => this.closeForRestore(id),
    reload: () => this.reload(),
    abort: (why) => this.ctx.abort(why),
    snapshots: () => this.snapshots(),
  })

  wallets() {
    const { context, submissions } = this
    return new Wallets(context, ({ id, chain_id }) =>
      submissions.submitAndWait(chain_id, () => deployRef({ id }, context.now()), 4_000),
    )
  }
  policies() {
    return new Policies(this.context, this.agentGate)
  }
  approvals() {
    return new Approvals(this.context, this.agentGate, this.paymentFlow)
  }
  reports() {
    return new Reports(this.context)
  }
  notices() {
    return new Notices(this.context)
  }
  webhooks() {
    return new Webhooks(this.context, this.outbox)
  }
  operators() {
    const { context, outbox, submissions } = this
    return new Operators(context, { outbox, submissions, wakeUp: () => this.wakeUp() })
  }
  connections() {
    return new Connections(this.context)
  }
  review() {
    return new Review(this.context)
  }
  runs() {
    return new Runs(this.context, this.needs, this.agentGate)
  }
  people() {
    return new People(this.context, this.outbox)
  }
  account() {
    return new Account(this.context)
  }
  restore() {
    return this.#restore
  }

  // Payments

  /** POST /v1/payments. The same key returns the same payment, whatever happened since. */
  async payAsAgent(input: PayInput) {
    return actingFor(input.principal, async () => {
      return andThen(this.agentGate.callerRefusal(input.principal) ?? (await this.paymentFlow.pay(input)), (paid) =>
        ok(this.#agentReply(paid)),
      )
    })
  }
  #agentReply({ payment, replayed, accepted }: Accepted) {
    const rates = paymentRateStates(this.context, payment.agent_id)
    return { payment: paymentView(this.context, payment, accepted?.group), replayed, rates }
  }
  /** POST /v1/x402-payments. The same key returns the same signature while it is valid, and its outcome afterwards. */
  async buyAsAgent(input: PurchaseInput) {
    return actingFor(input.principal, async () => {
      const refused = this.agentGate.callerRefusal(input.principal)
      if (refused) return refused
      const purchase = await refuseUnreachable(() => purchaseInput(this.context, input))
      return andThen(purchase.ok ? await this.paymentFlow.pay(purchase.value) : purchase, (paid) =>
        ok({ ...this.#agentReply(paid), signedPurchase: payloadOf(this.context.store, paid.payment) }),
      )
    })
  }
  /** POST /v1/x402-payments/{id}/receipt. */
  async storeReceipt(principal: Principal, id: string, receipt: PurchaseReceipt) {
    return actingFor(principal, async () => {
      const refused = this.agentGate.refusal(principal)
      return andThen(refused ?? storeReceipt(this.context, principal, id, receipt), (payment) =>
        ok(paymentView(this.context, payment)),
      )
    })
  }
  /** POST /transactions/send. Waits up to 300 ms for a transaction hash. */
  async send(input: PayInput) {
    return andThen(await this.paymentFlow.payAsOwner(input), async ({ payment: { id, wallet_id }, replayed }) => {
      const { store } = this.context
      const chainId = store.wallet(wallet_id)!.chain_id
      if (!replayed) await this.submissions.waitForHash(chainId, () => signedPaymentRef(store, id), 300)
      return ok(transactionView(store, store.payment(id)!))
    })
  }
  /** POST /escrow/create. Link and code are returned to the sender once, after the link works. */
  async createPayout(input: PayInput) {
    return andThen(await this.paymentFlow.payAsOwner(input), async ({ payment }) => {
      const { store } = this.context
      if (!store.payout(payment.id)) return notFound('Payout')
      if (await this.outbox.syncDesk(payment.id)) {
        const created = await createdPayout(this.context, payment.id)
        const escrow = escrowView(this.context, store.payout(payment.id)!)
        return ok({ ...created, rows: { escrow, transaction: transactionView(store, store.payment(payment.id)!) } })
      }
      const notReady = 'The payout is being created, but its link is not ready yet. Please try again.'
      return refuse('unavailable', notReady, { retryAfter: 2 })
    })
  }
  /** Cancels an unsigned payment and releases its reservation once. Another agent's payment is not found. */
  async cancelPayment(principal: Principal, id: string) {
    return actingFor(principal, async () => {
      return andThen(this.agentGate.refusal(principal) ?? cancelPayment(this.context, principal, id), (payment) =>
        ok(paymentView(this.context, payment)),
      )
    })
  }
  /** POST /v1/payments/check, or the owner's dry run as one of their agents. Reserves and records nothing. */
  async checkPayment(principal: Principal, input: CheckInput): Promise<Result<PaymentCheck>> {
    await freshStop(this.context)
    const refused = this.agentGate.callerRefusal(principal)
    const decide = (gathered: Gathered) => check(this.context, principal, input, gathered)
    return refused ?? refuseUnreachable(() => this.needs.decide(decide, 'dry run'))
  }
  /** The same of a purchase. */
  async checkPurchase(principal: Principal, request: CreatePurchase) {
    const refused = this.agentGate.callerRefusal(principal)
    if (refused) return refused
    const purchase = await refuseUnreachable(() => purchaseInput(this.context, { principal, key: null, request }))
    return andThen(purchase, ({ terms }) => this.checkPayment(principal, terms))
  }
  /** Agents see only their own payments. */
  async payment(principal: Principal, id: string) {
    const found = this.agentGate.refusal(principal) ?? findPayment(this.context, principal, id)
    this.alarms.renewIfLate()
    return andThen(found, (payment) => ok(paymentView(this.context, payment)))
  }
  /** Newest first. */
  async payments(principal: Principal, input: PaymentsInput) {
    const refused = this.agentGate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    const { rows, next } = pageOfPayments(this.context, principal.agentId, input)
    return ok({ payments: rows.map((row) => paymentView(this.context, row)), next })
  }
  /** GET /v1/context: what the agent may do now. */
  async agentContext(principal: Principal, contact: string | null) {
    const refused = this.agentGate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    return this.#agentContexts.of(principal.agentId, contact)
  }
  async transaction(id: string) {
    return findTransaction(this.context, id)
  }
  async recipientHistory(input: RecipientInput) {
    return recipientHistory(this.context, input)
  }

  // Payouts

  async escrow(id: string) {
    const payout = this.context.store.payout(id)
    return payout ? ok(escrowView(this.context, payout)) : notFound('Payout')
  }
  /** For the sender only; agents never see the link. */
  async claimLink(payoutId: string) {
    const payout = this.context.store.payout(payoutId)
    return payout ? ok({ claimUrl: await claimUrlOf(this.context, payout) }) : notFound('Payout')
  }
  /**
   * Called by the ClaimDesk after the recipient has entered the right code. Does not wait for the transaction hash, which the
   * page shows later: far from the node, that would double the time until the money is on its way.
   */
  async claim(input: ClaimInput) {
    return actingAs(recipient, async () => {
      return andThen(await refuseUnreachable(() => claim(this.context, input)), async (payout) => {
        this.submissions.start({ fromTables: true })
        return ok(actionOf(payout))
      })
    })
  }
  /** Called by the ClaimDesk: a transfer that the recipient signed. Does not wait for the transaction hash either. */
  async sendOn(input: SendOnInput) {
    return actingAs(recipient, async () => {
      return andThen(await refuseUnreachable(() => sendOn(this.context, input)), (sent) => {
        this.submissions.start({ fromTables: true })
        return ok(sent)
      })
    })
  }
  async sentOn(payoutId: string, nonce: Hex) {
    return sentOn(this.context, payoutId, nonce)
  }
  /** Waits up to a second for the transaction hash. */
  async reclaim(payoutId: string) {
    return andThen(await refuseUnreachable(() => reclaim(this.context, payoutId, 'sender')), async (payout) => {
      const { store } = this.context
      const chainId = store.wallet(payout.wallet_id)!.chain_id
      await this.submissions.submitAndWait(chainId, () => openActionRef(store, payout.id), 1_000)
      return ok(actionOf(store.payout(payout.id)!))
    })
  }
  async reclaimAll() {
    return reclaimAll(this.context)
  }
  /**
   * The ClaimDesk has the new code before this returns, so the old one is refused from then on. The desk passes the version
   * whose attempts are used up; if the code has been renewed since, the call is a no-op.
   */
  async resendCode(payoutId: string, by: RenewedBy, triesVersion?: number) {
    const renew = () => resendCode(this.context, payoutId, by, triesVersion)
    return andThen(await (by === 'recipient' ? actingAs(recipient, renew) : renew()), async (payout) => {
      await this.outbox.syncDesk(payoutId)
      this.ctx.waitUntil(this.outbox.flushMail())
      const used = by === 'sender' ? payout.sender_resends : payout.recipient_resends
      return ok({ resendsLeft: maxResends - used })
    })
  }

  /** Called by the ClaimDesk. Sends the recipient a receipt, once. */
  async sendReceipt(payoutId: string) {
    return actingAs(recipient, async () => {
      const requested = requestReceipt(this.context, payoutId)
      if (requested.ok) this.ctx.waitUntil(this.outbox.flushMail())
      return requested
    })
  }

  // The owner, and the people who act for the account

  /** Makes a call of the owner or of a member, if this caller may make it (core/callers.ts). */
  async asPerson(caller: CallerId, { object, method, input }: OwnerCall): Promise<Result<unknown>> {
    const refused = refuseCaller(this.context, caller, callOf({ object, method }))
    if (refused) return refused
    this.alarms.renewIfLate()
    const names: readonly string[] = object === null ? ownerMethods : ownerObjects
    const isAllowed = names.includes(object ?? method)
    const target: object = isAllowed && object !== null ? this[object]() : this
    const call: unknown = isAllowed && Reflect.get(target, method)
    // The text of Workers RPC, which says to a caller with newer code that it has to wait.
    if (typeof call !== 'function') throw new TypeError(`The Treasury does not implement the method "${method}".`)
    return ok(await actingAs(person(personOf(this.context, caller)), () => call.apply(target, input)))
  }
  /** From now on, nothing is done for these login sessions. Also works during a restore. Repeated calls change nothing. */
  async endSessions(ids: string[]) {
    endSessions(this.restoreContext, ids)
  }

  /** Called by History before it reads a list, with the callers that it reads for. `ended`: those that may no longer call. */
  async changesSince(position: Position, callers: CallerId[]) {
    const ended = callers.filter((caller) => refuseCaller(this.context, caller, 'lists.read') !== null)
    const page = changesSince(this.context, position)
    this.alarms.renewIfLate()
    // The alarm finds the same, and reports it to operators if it lasts.
    if (page === null) this.context.schedule('history', this.context.now())
    return { page, ended }
  }
  /** For the WebhookSender, with the secrets in plain text. */
  async webhookTargets(): Promise<WebhookTargets> {
    return webhookTargets(this.context)
  }
  /** Called by the WebhookSender. Switches the webhook off and emails the owner. Repeated calls change nothing. */
  async webhookFailed(failure: WebhookFailure) {
    webhookFailed(this.context, failure)
  }
  /** Called by the Relayer with hints about jobs, which only start settling. */
  async reportJobs(reports: JobReport[]) {
    applyReports(this.context, reports)
    this.startDueWork()
  }
  /** Called by Watch with hints about idle wallets, which only start a reading. */
  async walletsDiffer(hints: WalletHint[]): Promise<WakeReply[]> {
    const replies = heedHints(this.context, hints)
    this.startDueWork()
    return replies
  }
}

const actionOf = ({ status, done_tx, action_tx }: PayoutRow): PayoutAction => ({ status, txHash: done_tx ?? action_tx })
