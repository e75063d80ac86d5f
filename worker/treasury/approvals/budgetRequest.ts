import { ok, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { newPaymentRefusal } from '../core/stop.ts'
import { findReplay, idempotentRequest } from '../ledger/idempotency.ts'
import { resolveCaller } from '../policies/paymentParties.ts'
import { raisedLimit } from '../policies/raisedLimit.ts'
import type { ApprovalRow } from '../storage/rows.ts'
import { accountFull } from '../storage/store.ts'
import { ask } from './ask.ts'
import { endOverdue } from './end.ts'
import { approvalRow } from './rows.ts'
import type { BudgetRequestInput } from './rpcTypes.ts'

/** Requests more budget for the agent's group. The same key returns the same request in its current state. */
export function requestBudget(
  ctx: Context,
  { principal, key, amount, reason }: BudgetRequestInput,
): Result<{ row: ApprovalRow; replayed: boolean }> {
  const { store } = ctx
  return store.transaction((): Result<{ row: ApprovalRow; replayed: boolean }> => {
    const caller = resolveCaller(ctx, principal, null)
    if (!caller.ok) return caller
    if (principal.type !== 'agent' || !caller.value.group)
      return refuse('unprocessable', 'Only agents can ask for more budget.')
    const request = idempotentRequest(principal, key, ['budget', amount])
    const replay = findReplay(store, request)
    if (replay) {
      if (!replay.ok) return replay
      endOverdue(ctx)
      const row = approvalRow(ctx, replay.value)
      return row ? ok({ row, replayed: true }) : refuse('approval_expired', 'This request ended long ago.')
    }
    if (store.isFull) return accountFull
    const stopped = newPaymentRefusal(ctx)
    if (stopped) return stopped
    const raised = raisedLimit(caller.value.group, amount)
    if (!raised.ok) return raised
    const approval = {
      principal,
      caller: caller.value,
      amount,
      reason,
      rules: ['budget_request' as const],
      payment: null,
    }
    const asked = ask(ctx, approval, request)
    return asked.ok ? ok({ row: asked.value, replayed: false }) : asked
  })
}
