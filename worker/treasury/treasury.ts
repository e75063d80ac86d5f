import { maxResends } from '#domain/attempts.ts'
import type { MicroUsdc } from '#domain/money.ts'
import type { JobReport } from '../relayer/api.ts'
import { andThen, notFound, ok, type Result, refuse } from '../result.ts'
import type * as Api from './api.ts'
import { ApprovedTreasury } from './approvals/approvedTreasury.ts'
import { refuseUnreachable } from './chainHeads.ts'
import { verifyAudit } from './ledger/audit.ts'
import { currentLedger } from './ledger/view.ts'
import { takeOwnerChange } from './limits/ownerActions.ts'
import { paymentRateStates } from './limits/rates.ts'
import { freshStop } from './operators/stop.ts'
import { cancelPayment } from './payments/cancel.ts'
import { check } from './payments/check.ts'
import { findPayment, findTransaction, pageOfPayments } from './payments/queries.ts'
import { recipientHistory } from './payments/recipientHistory.ts'
import { paymentView, transactionView } from './payments/views.ts'
import { claim, reclaim } from './payouts/actions.ts'
import { resendCode } from './payouts/codes.ts'
import { createdPayout } from './payouts/created.ts'
import { claimUrlOf } from './payouts/link.ts'
import { reclaimAll } from './payouts/reclaimAll.ts'
import { escrowView } from './payouts/views.ts'
import { createAgent, deleteAgent, editAgent, replaceCredential, scopesOf } from './policies/agents.ts'
import { createGroup, deleteGroup, editGroup, topUp } from './policies/groups.ts'
import { setPaused } from './policies/pausing.ts'
import { agentView, groupView, listAgents, listGroups, refusalsOf } from './policies/views.ts'
import { confirmContact, contactChanged } from './policies/whitelist.ts'
import { deployRef, openActionRef, signedPaymentRef } from './relay/jobs.ts'
import { applyReports } from './relay/reports.ts'
import type { PayoutRow } from './storage/rows.ts'
import { offerSession } from './wallets/actions/offerSession.ts'
import { rotate } from './wallets/actions/rotate.ts'
import { ownerSigningContext } from './wallets/actions/signingContext.ts'
import { submitOwnerAction } from './wallets/actions/submitOwnerAction.ts'
import { deployWallet } from './wallets/deploy.ts'
import { importWallet } from './wallets/importWallet.ts'
import { hasActiveWallet, listWallets, showWallet, walletBalance } from './wallets/list.ts'
import { deleteWallet, renameWallet } from './wallets/manage.ts'
import { rotateReply, sessionKeyInfo } from './wallets/sessionInfo.ts'
import { viewPrivateKey } from './wallets/viewKey.ts'
import { walletView } from './wallets/views.ts'

/**
 * One per user: decides, reserves, signs and settles that user's payments. This class only connects RPC calls to the
 * functions in the folders next to it; the rules are in worker/domain. api.ts documents each method.
 */
export class Treasury extends ApprovedTreasury implements Api.TreasuryApi {
  // Payments

  async payAsAgent(input: Api.PayInput) {
    return andThen(this.agentGate.tokenRefusal(input.principal) ?? (await this.paymentFlow.pay(input)), (result) => {
      const { payment, replayed, accepted } = result
      const rates = paymentRateStates(this.context, payment.agent_id)
      return ok({ payment: paymentView(this.context, payment, accepted?.group), replayed, rates })
    })
  }
  async send(input: Api.PayInput) {
    return andThen(await this.paymentFlow.payAsOwner(input), async ({ payment: { id, wallet_id }, replayed }) => {
      const { store } = this.context
      const chainId = store.wallet(wallet_id)!.chain_id
      if (!replayed) await this.submissions.waitForHash(chainId, () => signedPaymentRef(store, id), 300)
      return ok(transactionView(store, store.payment(id)!))
    })
  }
  async createPayout(input: Api.PayInput) {
    return andThen(await this.paymentFlow.payAsOwner(input), async ({ payment }) => {
      if (!this.context.store.payout(payment.id)) return notFound('Payout')
      if (await this.outbox.syncLink(payment.id)) return ok(await createdPayout(this.context, payment.id))
      const notReady = 'The payout is being created, but its link is not ready yet. Please try again.'
      return refuse('unavailable', notReady, { retryAfter: 2 })
    })
  }
  async cancelPayment(principal: Api.Principal, id: string) {
    return andThen(this.agentGate.refusal(principal) ?? cancelPayment(this.context, principal, id), (payment) =>
      ok(paymentView(this.context, payment)),
    )
  }
  async checkPayment(principal: Api.Principal, input: Api.CheckInput) {
    await freshStop(this.context)
    return (
      this.agentGate.tokenRefusal(principal) ??
      this.needs.decide((gathered) => check(this.context, principal, input, gathered))
    )
  }
  async payment(principal: Api.Principal, id: string) {
    return andThen(this.agentGate.refusal(principal) ?? findPayment(this.context, principal, id), (payment) =>
      ok(paymentView(this.context, payment)),
    )
  }
  async payments(principal: Api.Principal, input: Api.PaymentsInput) {
    const refused = this.agentGate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    const { rows, next } = pageOfPayments(this.context, principal.agentId, input)
    return ok({ payments: rows.map((row) => paymentView(this.context, row)), next })
  }
  async transaction(id: string) {
    return findTransaction(this.context, id)
  }
  async recipientHistory(input: Api.RecipientInput) {
    return recipientHistory(this.context, input)
  }

  // Payouts

  async escrow(id: string) {
    const payout = this.context.store.payout(id)
    return payout ? ok(escrowView(this.context, payout)) : notFound('Payout')
  }
  async claimLink(payoutId: string) {
    const payout = this.context.store.payout(payoutId)
    return payout ? ok({ claimUrl: await claimUrlOf(this.context, payout) }) : notFound('Payout')
  }
  async claim(input: Api.ClaimInput) {
    return this.#startAction(() => claim(this.context, input))
  }
  async reclaim(payoutId: string) {
    return this.#startAction(() => reclaim(this.context, payoutId, 'sender'))
  }
  /** Runs `start`, then waits up to a second for the transaction hash of the claim or reclaim that it signed. */
  async #startAction(start: () => Promise<Result<PayoutRow>>): Promise<Result<Api.PayoutAction>> {
    return andThen(await refuseUnreachable(start), async ({ id, wallet_id }) => {
      const { store } = this.context
      const chainId = store.wallet(wallet_id)!.chain_id
      await this.submissions.submitAndWait(chainId, () => openActionRef(store, id), 1_000)
      const { status, done_tx, action_tx } = store.payout(id)!
      return ok({ status, txHash: done_tx ?? action_tx })
    })
  }
  async reclaimAll() {
    return reclaimAll(this.context)
  }
  async resendCode(payoutId: string, by: Api.RenewedBy, triesVersion?: number) {
    return andThen(await resendCode(this.context, payoutId, by, triesVersion), async (payout) => {
      await this.outbox.flush()
      this.ctx.waitUntil(this.outbox.flushMail())
      const used = by === 'sender' ? payout.sender_resends : payout.recipient_resends
      return ok({ resendsLeft: maxResends - used })
    })
  }

  // Wallets

  async wallets() {
    return listWallets(this.context, this.chain)
  }
  async deploy(input: Api.DeployInput) {
    return andThen(
      await refuseUnreachable(() => deployWallet(this.context, input)),
      async ({ id, status, chain_id }) => {
        if (status === 'deploying')
          await this.submissions.submitAndWait(chain_id, () => deployRef({ id }, this.context.now()), 4_000)
        return ok(walletView(this.context, this.context.store.wallet(id)!, null))
      },
    )
  }
  async importWallet(input: Api.ImportInput) {
    return andThen(await refuseUnreachable(() => importWallet(this.context, input)), async (row) =>
      ok(await showWallet(this.context, this.chain, row)),
    )
  }
  async renameWallet(walletId: string, name: string | null) {
    return andThen(takeOwnerChange(this.context) ?? renameWallet(this.context, walletId, name), async (row) =>
      ok(await showWallet(this.context, this.chain, row)),
    )
  }
  async deleteWallet(walletId: string) {
    return deleteWallet(this.context, walletId)
  }
  async viewPrivateKey(walletId: string, masterPassword: string) {
    return viewPrivateKey(this.context, walletId, masterPassword)
  }
  async balance(walletId: string) {
    return walletBalance(this.context, walletId)
  }
  async hasWallet(address: string) {
    return hasActiveWallet(this.context, address)
  }
  async ledger(walletId: string) {
    return currentLedger(this.context, this.chain, walletId)
  }
  async sessionKey(walletId: string) {
    return sessionKeyInfo(this.context, walletId)
  }
  async rotateSessionKey(input: Api.RotateInput) {
    return refuseUnreachable(async () =>
      andThen(await rotate(this.context, input), (action) => rotateReply(this.context, action)),
    )
  }
  async ownerSigningContext(walletId: string) {
    return refuseUnreachable(() => ownerSigningContext(this.context, walletId))
  }
  async offerSession(input: Api.RotateInput) {
    return refuseUnreachable(() => offerSession(this.context, input))
  }
  async submitOwnerAction(input: Api.OwnerActionInput) {
    return refuseUnreachable(async () =>
      andThen(await submitOwnerAction(this.context, input), ({ id }) => ok({ actionId: id })),
    )
  }

  // Policies

  async groups() {
    return listGroups(this.context)
  }
  async group(id: string) {
    const group = this.context.store.group(id)
    return group ? ok(groupView(this.context, group)) : notFound('Policy group')
  }
  async createGroup(input: Api.GroupInput) {
    return takeOwnerChange(this.context) ?? createGroup(this.context, input)
  }
  async editGroup(id: string, edit: Api.GroupEdit) {
    return takeOwnerChange(this.context) ?? editGroup(this.context, id, edit)
  }
  async topUp(id: string, amount: MicroUsdc, key: string | null) {
    return takeOwnerChange(this.context) ?? topUp(this.context, id, amount, key)
  }
  async deleteGroup(id: string) {
    return deleteGroup(this.context, id)
  }
  async confirmContact(groupId: string, contactId: string, seen: Api.ContactMethods) {
    return andThen(takeOwnerChange(this.context) ?? confirmContact(this.context, groupId, contactId, seen), () =>
      ok(groupView(this.context, this.context.store.group(groupId)!)),
    )
  }
  async contactChanged(contactId: string, now: (Api.ContactMethods & { name?: string }) | null) {
    contactChanged(this.context, contactId, now)
  }
  async agents() {
    return listAgents(this.context)
  }
  async agent(id: string) {
    const agent = this.context.store.agent(id)
    return agent ? ok(agentView(this.context, agent)) : notFound('Agent')
  }
  async createAgent(input: Api.AgentInput) {
    return takeOwnerChange(this.context) ?? createAgent(this.context, input)
  }
  async editAgent(id: string, edit: { name: string; memo: string | null }) {
    return takeOwnerChange(this.context) ?? editAgent(this.context, id, edit)
  }
  async deleteAgent(id: string) {
    return deleteAgent(this.context, id)
  }
  async replaceCredential(id: string, input: Api.NewCredential) {
    return takeOwnerChange(this.context) ?? replaceCredential(this.context, id, input)
  }
  async pause(subject: Api.PauseSubject, paused: boolean) {
    return setPaused(this.context, subject, paused)
  }
  async account() {
    const { accountPaused, isSuspended } = this.context.store
    return { paused: accountPaused, suspended: isSuspended }
  }
  async refusals(agentId: string) {
    return refusalsOf(this.context, agentId)
  }
  async agentContext(principal: Api.Principal) {
    const refused = this.agentGate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    return this.agentContexts.of(principal.agentId)
  }
  async agentScopes(principal: Api.Principal) {
    const refused = this.agentGate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    return scopesOf(this.context.store, principal.agentId)
  }
  async revokeToken(tokenId: string, endsAt: number) {
    this.agentGate.revokeToken(tokenId, endsAt)
  }

  // Read model and audit log

  async syncReadModel() {
    await this.outbox.syncReadModel()
  }
  async auditCheck() {
    return verifyAudit(this.context.store)
  }

  // Relayer

  async reportJobs(reports: JobReport[]) {
    applyReports(this.context, reports)
  }
}
