import { RpcTarget } from 'cloudflare:workers'
import type { MicroUsdc } from '#domain/money.ts'
import type { Approval } from '#schemas/approval.ts'
import { andThen, notFound, ok, type Result } from '../../../result.ts'
import { actingFor } from '../../core/acting.ts'
import { refuseRole } from '../../core/callers.ts'
import type { Context } from '../../core/context.ts'
import type { Principal } from '../../core/rpcTypes.ts'
import { termsOf } from '../../core/storage/newPayment.ts'
import { takeOwnerChange } from '../../limits/ownerActions.ts'
import { noteDecider } from '../../limits/secondPerson.ts'
import type { PaymentFlow } from '../../payments/pay.ts'
import type { AgentGate } from '../../policies/agentGate.ts'
import { requestBudget } from '../ask.ts'
import { endOverdue, waitForEnd } from '../end.ts'
import { endGrant } from '../grants.ts'
import type { ApprovalsInput, ApproveInput, BudgetRequestInput, Decider, DenyInput, GrantsInput } from '../rpcTypes.ts'
import { setSettings, settingsView } from '../settings.ts'
import { budgetRequestView, grantView, listGrants } from '../views.ts'
import { approveBudget, approvePayment, deny } from './decide.ts'
import { approvalView, listApprovals } from './views.ts'

/** Requests by agents and the owner's decisions about them. */
export class Approvals extends RpcTarget {
  readonly #ctx: Context
  readonly #gate: AgentGate
  readonly #paymentFlow: PaymentFlow

  constructor(ctx: Context, gate: AgentGate, paymentFlow: PaymentFlow) {
    super()
    this.#ctx = ctx
    this.#gate = gate
    this.#paymentFlow = paymentFlow
  }

  async list(input: ApprovalsInput) {
    return listApprovals(this.#ctx, input)
  }
  async get(id: string) {
    return this.#shown(id)
  }
  /**
   * All rules run again in the approving transaction. If one refuses, nothing is decided and the request stays open.
   * Approving an approved request again returns it; one that ended differently is a conflict.
   */
  async approve(id: string, input: ApproveInput): Promise<Result<Approval>> {
    const row = this.#ctx.store.approval(id)
    if (!row) return notFound('Approval')
    const payment = row.payment_id === null ? null : this.#ctx.store.payment(row.payment_id)
    const refused =
      (payment ? null : refuseRole(this.#ctx, 'approvals.raiseBudget')) ??
      (input.grant ? refuseRole(this.#ctx, 'approvals.grant') : null)
    if (refused) return refused
    noteDecider(this.#ctx, input.by)
    const decided = payment
      ? await this.#paymentFlow.run({ id: payment.id, terms: termsOf(payment) }, (gathered) =>
          approvePayment(this.#ctx, id, input, gathered),
        )
      : approveBudget(this.#ctx, id, input)
    return andThen(decided, () => this.#shown(id))
  }
  async deny(id: string, input: DenyInput): Promise<Result<Approval>> {
    return andThen(deny(this.#ctx, id, input), () => this.#shown(id))
  }
  async grants(input: GrantsInput) {
    return listGrants(this.#ctx, input)
  }
  async endGrant(id: string, by: Decider) {
    return andThen(endGrant(this.#ctx, id, by), (row) => ok(grantView(this.#ctx, row)))
  }
  async settings() {
    return settingsView(this.#ctx)
  }
  async setSettings(input: { passwordAbove: MicroUsdc | null; by: Decider; passwordChecked: boolean }) {
    return takeOwnerChange(this.#ctx) ?? setSettings(this.#ctx, input)
  }

  /** Resolves when one of these payments no longer waits, or after `forMs`. False if the agent has too many waits already. */
  async waitForEnd(principal: Principal, paymentIds: string[], forMs: number) {
    const refused = this.#gate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    return ok(await waitForEnd(this.#ctx, principal.agentId, paymentIds, forMs))
  }
  /** POST /v1/budget-requests. The same key returns the same request in its current state. */
  async requestBudget(input: BudgetRequestInput) {
    const requested = actingFor(
      input.principal,
      () => this.#gate.refusal(input.principal) ?? requestBudget(this.#ctx, input),
    )
    return andThen(requested, ({ row, replayed }) => ok({ request: budgetRequestView(this.#ctx, row), replayed }))
  }
  async budgetRequest(principal: Principal, id: string) {
    const refused = this.#gate.refusal(principal)
    if (refused) return refused
    endOverdue(this.#ctx)
    const row = this.#ctx.store.approval(id)
    if (row?.kind !== 'budget' || principal.type !== 'agent' || row.agent_id !== principal.agentId)
      return notFound('Budget request')
    return ok(budgetRequestView(this.#ctx, row))
  }
  #shown(id: string): Result<Approval> {
    endOverdue(this.#ctx)
    const row = this.#ctx.store.approval(id)
    return row ? ok(approvalView(this.#ctx, row)) : notFound('Approval')
  }
}
