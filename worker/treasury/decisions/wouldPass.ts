import type { Approval } from '#schemas/approval.ts'
import type { Refused } from '../../result.ts'
import { contactMoved, hasMoved } from '../approvals/ask.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { check } from '../payments/check.ts'
import type { Gathered } from '../payments/needs.ts'
import { raisedLimit } from '../policies/budgets.ts'
import { resolveCaller, resolveTarget } from '../policies/paymentParties.ts'
import { fromColumn } from '../storage/columns.ts'
import type { ApprovalRow, PaymentRow } from '../storage/rows.ts'
import { credentialGone, inputOf } from './decide.ts'

type WouldPass = NonNullable<Approval['wouldPass']>

const no = (rule: string, message: string): WouldPass => ({ ok: false, rule, message })
const refused = ({ code, message, refusal }: Refused): WouldPass => no(refusal?.rule ?? code, message)

/** Whether approving it now would succeed, as far as this object knows: neither chain nor recipient is looked up. */
export function wouldPass(ctx: Context, row: ApprovalRow, waiting: PaymentRow | null): WouldPass {
  const suspended = suspendedOwner(ctx)
  if (suspended) return refused(suspended)
  if (waiting === null) {
    const group = ctx.store.group(row.group_id)
    const raised = group && raisedLimit(group, fromColumn(row.amount))
    if (!raised) return no('group.deleted', 'The policy group was deleted.')
    return raised.ok ? { ok: true } : no('group.budget', raised.message)
  }
  const { principal, terms } = inputOf(row, waiting)
  const caller = resolveCaller(ctx, principal, null)
  if (!caller.ok) return caller.code === 'unauthenticated' ? no('agent.credential', credentialGone) : refused(caller)
  const target = resolveTarget(ctx, caller.value, terms.to)
  if ('refusal' in target) return no(target.refusal.rule, target.refusal.message)
  if (hasMoved(waiting, caller.value.wallet, target)) return refused(contactMoved)
  const known: Gathered = {
    draft: null,
    lookup: target.address && { address: target.address, found: 'clear' },
    refreshed: true,
    grants: {},
  }
  const result = check(ctx, principal, terms, known)
  // Can't happen: `known` provides everything that `check` could need.
  if ('need' in result) return { ok: true }
  if (!result.ok) return refused(result)
  const { refusal } = result.value
  return refusal ? no(refusal.rule ?? refusal.code, refusal.detail) : { ok: true }
}
