import { z } from 'zod'
import { ApprovalReference, Budget, instant, reason, usdc } from './agentFields.ts'
import { usdcAmount } from './common.ts'

export const BudgetRequestId = z.string().min(1).max(64).describe('The id that POST /v1/budget-requests returned.')

/** POST /v1/budget-requests */
export const CreateBudgetRequest = z.strictObject({
  amount: usdcAmount.meta({
    pattern: '^\\d{1,12}(\\.\\d{1,6})?$',
    description: 'Decimal USDC as a string, with at most 6 decimals: how much to add to the policy group’s budget.',
    examples: ['50'],
  }),
  reason: reason.describe('Why you need it, in plain text. The owner reads it.'),
})
export type CreateBudgetRequest = z.output<typeof CreateBudgetRequest>
/** A request for more budget, which the owner approves or denies. */
export const BudgetRequest = z.object({
  id: z.string(),
  object: z.literal('budget_request'),
  status: z.enum(['PENDING_APPROVAL', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED']),
  amount: usdc.describe('Amount to add to the budget. Decimal USDC.'),
  reason: z.string().nullable(),
  created_at: instant,
  decided_at: instant.nullable(),
  approval: ApprovalReference,
  budget: Budget,
})
export type BudgetRequest = z.infer<typeof BudgetRequest>
