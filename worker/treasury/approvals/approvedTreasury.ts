import { andThen, notFound, ok } from '../../result.ts'
import type { Principal } from '../api.ts'
import { takeOwnerChange } from '../limits/ownerActions.ts'
import { NoticedTreasury } from '../notices/noticedTreasury.ts'
import { termsOf } from '../storage/newPayment.ts'
import type * as Api from './api.ts'
import { requestBudget } from './budgetRequest.ts'
import { approveBudget, approvePayment, deny } from './decide.ts'
import { endOverdue } from './end.ts'
import { endGrant } from './grants.ts'
import { approvalRow } from './rows.ts'
import { setSettings, settingsView } from './settings.ts'
import { approvalView, budgetRequestView, grantView, listApprovals, listGrants } from './views.ts'
import { waitForEnd } from './waitForEnd.ts'

/** RPC methods for approvals, grants and budget requests; treasury.ts adds the rest. */
export abstract class ApprovedTreasury extends NoticedTreasury implements Api.ApprovalCalls {
  async approvals(input: Api.ApprovalsInput) {
    return listApprovals(this.context, input)
  }
  async approval(id: string) {
    return this.#shown(id)
  }
  async approve(id: string, input: Api.ApproveInput) {
    const row = approvalRow(this.context, id)
    if (!row) return notFound('Approval')
    const payment = row.payment_id === null ? null : this.context.store.payment(row.payment_id)
    const decided = payment
      ? await this.paymentFlow.run({ id: payment.id, terms: termsOf(payment) }, (gathered) =>
          approvePayment(this.context, id, input, gathered),
        )
      : approveBudget(this.context, id, input)
    return andThen(decided, () => this.#shown(id))
  }
  async deny(id: string, input: Api.DenyInput) {
    return andThen(deny(this.context, id, input), () => this.#shown(id))
  }
  async grants(input: Api.GrantsInput) {
    return listGrants(this.context, input)
  }
  async endGrant(id: string, by: Api.Decider) {
    return andThen(endGrant(this.context, id, by), (row) => ok(grantView(this.context, row)))
  }
  async approvalSettings() {
    return settingsView(this.context)
  }
  async setApprovalSettings(input: Parameters<Api.ApprovalCalls['setApprovalSettings']>[0]) {
    return takeOwnerChange(this.context) ?? setSettings(this.context, input)
  }
  async waitForApprovals(principal: Principal, paymentIds: string[], forMs: number) {
    const refused = this.agentGate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    return ok(await waitForEnd(this.context, principal.agentId, paymentIds, forMs))
  }
  async requestBudget(input: Api.BudgetRequestInput) {
    return andThen(this.agentGate.refusal(input.principal) ?? requestBudget(this.context, input), ({ row, replayed }) =>
      ok({ request: budgetRequestView(this.context, row), replayed }),
    )
  }
  async budgetRequest(principal: Principal, id: string) {
    const refused = this.agentGate.refusal(principal)
    if (refused) return refused
    endOverdue(this.context)
    const row = approvalRow(this.context, id)
    if (row?.kind !== 'budget' || principal.type !== 'agent' || row.agent_id !== principal.agentId)
      return notFound('Budget request')
    return ok(budgetRequestView(this.context, row))
  }
  #shown(id: string) {
    endOverdue(this.context)
    const row = approvalRow(this.context, id)
    return row ? ok(approvalView(this.context, row)) : notFound('Approval')
  }
}
