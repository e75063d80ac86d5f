import { formatUsdc } from '#domain/money.ts'
import type { Figures, Refusal } from '#domain/refusal.ts'
import { isoOf } from '#domain/time.ts'
import { type RefusalFigures, type Refused, refuse } from '../../result.ts'
import type { Context } from './context.ts'

/** Refusals that several folders give. */

/** The refusal of anything new for the owner of a suspended account, who can still read and leave; null if not suspended. */
export const suspendedOwner = ({ store }: Context): Refused | null =>
  store.isSuspended
    ? refuse(
        'account_suspended',
        'The operator has suspended this account. You can still read everything, take payouts back and withdraw.',
      )
    : null

/** The same for the account's agents, which may do nothing. */
export const suspendedAgent = ({ store }: Context): Refused | null =>
  store.isSuspended
    ? {
        ...refuse('account_suspended', 'The operator has suspended the account of this agent.'),
        refusal: { rule: 'account.suspended', next: 'Ask the owner to contact the operator.', max_allowed_now: '0' },
      }
    : null

/** The figures of a budget in decimal USDC. */
export const budgetFigures = ({ limit, spent, held, remaining }: Exclude<Figures, { count: unknown }>) => ({
  limit: limit === null ? null : formatUsdc(limit),
  spent: formatUsdc(spent),
  held: formatUsdc(held),
  remaining: remaining === null ? null : formatUsdc(remaining),
})

/** The figures of a rule's refusal, as callers see them. */
export function figuresView(refusal: Refusal): RefusalFigures {
  const { rule, next, figures, maxAllowedNow, maxWithoutAsking, resetsAt } = refusal
  return {
    rule,
    next: next.agent,
    max_allowed_now: formatUsdc(maxAllowedNow),
    max_without_asking: formatUsdc(maxWithoutAsking),
    ...(figures && ('count' in figures ? figures : budgetFigures(figures))),
    ...(resetsAt !== null && { resets_at: isoOf(resetsAt) }),
    ...(refusal.purchaseClass !== undefined && { class: refusal.purchaseClass }),
  }
}
