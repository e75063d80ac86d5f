import { z } from 'zod'
import { accountAsks } from '#domain/approval.ts'
import { chainNames } from '#domain/networks.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import { eachNote } from '#domain/paymentNotes.ts'
import { askingNames } from '#domain/rules/values.ts'
import { rowCursor, usdcAmount } from './common.ts'
import { commonTerms, noteFilters, PaymentRecipient, reason } from './paymentTerms.ts'
import { PurchaseReceipt, PurchaseSignature } from './x402.ts'

/**
 * The contract of /v1 and the MCP tools. These schemas validate requests, type responses and are published in
 * /openapi.json.
 */

export const usdc = z
  .string()
  .meta({ description: 'Decimal USDC.', examples: ['12.5'], pattern: '^\\d+(\\.\\d{1,6})?$' })
export const instant = z.string().meta({ description: 'ISO 8601, UTC.', format: 'date-time' })

/** A policy group's budget. */
export const Budget = z
  .object({
    limit: usdc.nullable().describe('Null if there is no limit.'),
    spent: usdc.describe('Confirmed payments.'),
    held: usdc.describe('Accepted but not yet confirmed.'),
    remaining: usdc.nullable().describe('limit − spent − held; null without a limit.'),
  })
  .describe('The policy group’s total budget, shared by all its agents. Decimal USDC.')

/** The approval that the owner was asked for. */
export const ApprovalReference = z
  .object({
    id: z.string(),
    status: z.enum(['PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED']),
    requested_at: instant,
    decided_at: instant.nullable().describe('When it was decided, cancelled or expired.'),
    expires_at: instant.describe('When it expires without a decision.'),
    url: z
      .string()
      .meta({ format: 'uri' })
      .describe('Page where the signed-in owner decides. Opening it does not decide anything.'),
  })
  .describe('The owner’s approval.')

/** POST /v1/payments */
export const CreatePayment = z.strictObject({
  to: PaymentRecipient,
  ...commonTerms,
  reason: reason.describe('Why you want to pay, in plain text. Shown to the owner if the payment needs approval.'),
})
export type CreatePayment = z.output<typeof CreatePayment>

/** POST /v1/payments/check: the body of a payment. */
export const CheckPayment = CreatePayment

export const PaymentId = z.string().min(1).max(64).describe('The id that POST /v1/payments returned.')

/** GET /v1/payments: `cursor` is opaque to the caller. */
export const PaymentsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Payments per page.'),
  cursor: rowCursor.optional().describe('`next_cursor` of the previous page.'),
  ...noteFilters,
})
export type PaymentsQuery = z.output<typeof PaymentsQuery>

const statuses = [
  'PENDING_APPROVAL',
  'QUEUED',
  'PENDING',
  'PROCESSING',
  'CONFIRMED',
  'FAILED',
  'POLICY_REJECTED',
  'VALIDATION_FAILED',
  'CANCELLED',
] as const satisfies readonly PaymentStatus[]

/** The agent's view of a payment. */
export const Payment = z.object({
  id: z.string(),
  object: z.literal('payment'),
  status: z
    .enum(statuses)
    .describe(
      'PENDING_APPROVAL waits for the owner: nothing is paid or reserved yet. QUEUED and PROCESSING are in progress. PENDING waits for the recipient to claim. CONFIRMED, FAILED, POLICY_REJECTED, VALIDATION_FAILED and CANCELLED are final.',
    ),
  amount: usdc,
  to: z.object({
    type: z.enum(['contact', 'address', 'email', 'phone', 'x402']),
    address: z.string().optional(),
    contactId: z.string().optional(),
    name: z.string().optional().describe('Of a contact: its name when you paid it.'),
    email: z.string().optional(),
    phone: z.string().optional(),
    resource: z.string().optional().describe('Of a purchase: method and address of what is bought, without its query.'),
  }),
  ...eachNote(() => z.string().nullable()),
  tx_hash: z.string().nullable().describe('Transaction hash on Base, once broadcast.'),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Why it was refused or failed.'),
  created_at: instant.describe('When it was requested.'),
  accepted_at: instant.nullable().describe('When its amount was reserved; null if it was not.'),
  signed_at: instant.nullable(),
  confirmed_at: instant.nullable(),
  approval: ApprovalReference.nullable().describe('Null unless the payment needed approval.'),
  receipt: PurchaseReceipt.nullable().describe('What you reported about a purchase; null if nothing.'),
  budget: Budget,
})
export type Payment = z.infer<typeof Payment>

/** The reply of POST /v1/x402-payments. */
export const Purchase = Payment.extend({
  x402: PurchaseSignature.nullable().describe(
    'While the seller may settle the purchase; null before it is signed, and once it has ended.',
  ),
})
export type Purchase = z.infer<typeof Purchase>

export const PaymentList = z
  .object({ data: z.array(Payment), next_cursor: z.string().nullable(), has_more: z.boolean() })
  .describe('Newest first.')
export type PaymentList = z.infer<typeof PaymentList>

/** The figures that a rule's decision was based on. Absent if the rule has none. */
const figures = {
  rule: z
    .string()
    .optional()
    .meta({ description: 'The rule that refused.', examples: ['group.budget'] }),
  limit: usdc.nullable().optional(),
  spent: usdc.optional(),
  held: usdc.optional(),
  remaining: usdc.nullable().optional(),
  count: z.object({ limit: z.int(), used: z.int() }).optional().describe('Figures of a rule that counts payments.'),
  resets_at: instant.optional().describe('When the rule lets more pass: its period ends, or its oldest part leaves.'),
  max_allowed_now: usdc.optional().describe('The largest amount that this recipient could be paid now.'),
  max_without_asking: usdc.optional().describe('The part of it that would not need the owner’s approval.'),
  scope: z.string().optional().describe('The scope that the access token lacks.'),
  class: z.int().optional().describe('Of purchases_used_up: 0, 1 or 2, for purchases of up to 0.01, 0.1 and 1 USDC.'),
  next: z.string().optional().describe('What to do next.'),
}

/** Response of POST /v1/payments/check. Nothing is reserved, so a later payment may still be refused. */
export const PaymentCheck = z.object({
  object: z.literal('payment_check'),
  allowed: z.boolean(),
  amount: usdc,
  max_allowed_now: usdc.describe('The largest amount that this recipient could be paid now.'),
  max_without_asking: usdc.describe('The largest amount that would not need the owner’s approval.'),
  budget: Budget,
  refusal: z
    .object({ code: z.string(), detail: z.string(), ...figures })
    .nullable()
    .describe('Why the payment would be refused; null if it would be allowed.'),
  approval_required: z
    .boolean()
    .describe('Whether the owner would have to approve it first: it would be PENDING_APPROVAL, with nothing reserved.'),
  approval_rules: z
    .array(z.enum([...askingNames, ...Object.keys(accountAsks)]))
    .describe('The rules that require approval.'),
  warnings: z
    .array(z.object({ code: z.literal('address_unused'), detail: z.string() }))
    .describe('What to know before paying, although nothing refuses it. Empty if nothing is known.'),
})
export type PaymentCheck = z.infer<typeof PaymentCheck>

/** GET /v1/context */
export const PaymentContextQuery = z.strictObject({
  contact: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Show only contacts whose name, email, phone or address contains this text.'),
})
export type PaymentContextQuery = z.output<typeof PaymentContextQuery>

/** Response of GET /v1/context. */
export const PaymentContext = z.object({
  agent: z.object({ id: z.string(), name: z.string() }),
  policy_group: z.object({
    id: z.string(),
    name: z.string(),
    version: z.int(),
    scopes: z.array(z.string()),
    wallet: z.string().nullable().describe('Address that the group pays from.'),
    chain: z
      .enum(chainNames)
      .nullable()
      .describe('The chain that the group pays on: Base, or its test network, where USDC has no value.'),
    contacts: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          address: z.string().nullable(),
          email: z.string().nullable(),
          phone: z.string().nullable(),
          stale: z
            .boolean()
            .describe(
              'The contact changed after it was whitelisted: payments to it are refused until the owner confirms it.',
            ),
        }),
      )
      .describe('The first 100 contacts, by name. Use `contact` to find others.'),
  }),
  contacts_total: z.int().describe('How many contacts the group has, or contain the text that was asked for.'),
  budget: Budget,
  max_allowed_now: usdc.describe('The minimum of what the rules, the session key and the wallet allow.'),
  max_without_asking: usdc.describe('The part of it that needs no approval.'),
  rules: z
    .array(
      z.object({
        names: z.array(z.string()).describe('What `rule` of a refusal, or `approval_rules`, may say.'),
        field: z.string(),
        sentence: z.string(),
        value: z.unknown().describe('As the owner set it. Amounts are decimal USDC.'),
        resets_at: instant.optional().describe('When it lets more pass.'),
      }),
    )
    .describe(
      'The rules of the policy group that are on: which refuse, and which ask the owner. All of them apply, besides the budget.',
    ),
  limits: z
    .object({
      rates: z.array(
        z.object({
          name: z.enum(['agent_payments', 'user_payments']),
          limit: z.int().describe('Payments that can be created in one burst.'),
          remaining: z.int(),
          reset_seconds: z.int().describe('Seconds until the full limit is available again.'),
        }),
      ),
      gas: z
        .object({
          limit: z.int().describe('Limit of the account today.'),
          used: z.int().describe('Used by the account today, including what open payments have reserved.'),
          remaining: z.int().describe('Left for this agent.'),
          resets_at: z.string().describe('ISO 8601, UTC.'),
        })
        .describe('Gas units that this service pays for.'),
    })
    .describe('Limits of this service for the agent, in addition to the budget.'),
})
export type PaymentContext = z.infer<typeof PaymentContext>

/** RFC 9457 body of every /v1 error. */
export const Problem = z
  .object({
    type: z.string().meta({ format: 'uri' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('A sentence for people.'),
    instance: z.string().optional(),
    code: z.string().meta({ description: 'Stable error code.', examples: ['budget_exceeded'] }),
    request_id: z.string(),
    ...figures,
    payment_id: z.string().optional().describe('Id of the recorded refusal, for GET /v1/payments/{id}.'),
    errors: z
      .array(z.object({ pointer: z.string().describe('JSON pointer into the request.'), detail: z.string() }))
      .optional(),
  })
  .describe('RFC 9457. Policy refusals also have rule, figures, max_allowed_now and next.')
export type Problem = z.infer<typeof Problem>

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
