import { z } from 'zod'
import { address, email, memo, phone, usdcAmount } from './common.ts'
import type { TransactionStatus } from './transaction.ts'

/**
 * The contracts of /v1 and of the MCP tools: what is checked, what is answered, and what /openapi.json says are these
 * schemas.
 */
export const PaymentRecipient = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('contact'),
        contactId: z
          .string()
          .min(1)
          .max(64)
          .describe('A contact on the whitelist of your policy group; GET /v1/context lists them.'),
        method: z
          .enum(['address', 'email', 'phone'])
          .optional()
          .describe('How to pay. Without it: the address where there is one, then email, then phone.'),
      })
      .meta({ title: 'A whitelisted contact' }),
    z
      .strictObject({
        type: z.literal('address'),
        address: address.meta({
          pattern: '^0x[0-9a-fA-F]{40}$',
          description: 'Address on Base; letters in mixed case are held against their checksum.',
          examples: ['0x8ba1f109551bD432803012645Ac136ddd64DBA72'],
        }),
      })
      .meta({ title: 'An address' }),
    z
      .strictObject({
        type: z.literal('email'),
        email: email.meta({ description: 'Gets a claim link.', examples: ['ada@example.com'] }),
      })
      .meta({ title: 'An email address' }),
    z
      .strictObject({
        type: z.literal('phone'),
        phone: phone.meta({ description: 'E.164. Gets a claim link.', examples: ['+14155550123'] }),
      })
      .meta({ title: 'A phone number' }),
  ])
  .describe('Who is paid: one of these.')

const payAmount = usdcAmount.meta({
  pattern: '^\\d{1,12}(\\.\\d{1,6})?$',
  description: 'Decimal USDC with at most 6 decimals, as a string. Payouts to email or phone: at least 0.10.',
  examples: ['12.5'],
})
/** POST /v1/payments */
export const CreatePayment = z.strictObject({
  to: PaymentRecipient,
  amount: payAmount,
  memo: memo.describe('A note for the owner’s books.'),
})
export type CreatePayment = z.output<typeof CreatePayment>

/** POST /v1/payments/check takes what a payment takes. */
export const CheckPayment = CreatePayment

/** An id of ours; anything else is nobody's. */
export const PaymentId = z.string().min(1).max(64).describe('As answered by POST /v1/payments.')

/** GET /v1/payments: `cursor` is opaque to the caller. */
export const PaymentsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Payments a page.'),
  cursor: z
    .string()
    .max(200)
    .transform((text, ctx) => {
      const match = /^(\d{1,16}):([a-z0-9_]{1,64})$/.exec(decoded(text))
      if (!match) {
        ctx.addIssue({ code: 'custom', message: 'This cursor is not one of ours; start again without it.' })
        return z.NEVER
      }
      return { createdAt: Number(match[1]), id: match[2]! }
    })
    .optional()
    .describe('`next_cursor` of the page before.'),
})
export type PaymentsQuery = z.output<typeof PaymentsQuery>

function decoded(text: string): string {
  try {
    return atob(text)
  } catch {
    return ''
  }
}

const usdc = z.string().meta({ description: 'Decimal USDC.', examples: ['12.5'], pattern: '^\\d+(\\.\\d{1,6})?$' })
const instant = z.string().meta({ description: 'ISO 8601, UTC.', format: 'date-time' })

const statuses = [
  'QUEUED',
  'PENDING',
  'PROCESSING',
  'CONFIRMED',
  'FAILED',
  'POLICY_REJECTED',
  'VALIDATION_FAILED',
  'CANCELLED',
  'EXPIRED',
] as const satisfies readonly TransactionStatus[]

/** A policy group's ledger. */
export const Budget = z
  .object({
    limit: usdc.nullable().describe('Null = no limit.'),
    spent: usdc.describe('Confirmed.'),
    held: usdc.describe('Decided and not confirmed yet.'),
    remaining: usdc.nullable().describe('limit − spent − held; null without a limit.'),
  })
  .describe('The policy group’s total budget, shared by its agents. Decimal USDC.')

/** The agent's view of a payment. */
export const Payment = z.object({
  id: z.string(),
  object: z.literal('payment'),
  status: z
    .enum(statuses)
    .describe(
      'QUEUED and PROCESSING are on their way; PENDING awaits its recipient’s claim; CONFIRMED, FAILED, POLICY_REJECTED, VALIDATION_FAILED, CANCELLED and EXPIRED are final.',
    ),
  amount: usdc,
  to: z.object({
    type: z.enum(['contact', 'address', 'email', 'phone']),
    address: z.string().optional(),
    contactId: z.string().optional(),
    email: z.string().optional(),
    phone: z.string().optional(),
  }),
  memo: z.string().nullable(),
  tx_hash: z.string().nullable().describe('On Base, once broadcast.'),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Why it was refused or failed.'),
  created_at: instant,
  signed_at: instant.nullable(),
  confirmed_at: instant.nullable(),
  budget: Budget,
})
export type Payment = z.infer<typeof Payment>

export const PaymentList = z
  .object({ data: z.array(Payment), next_cursor: z.string().nullable(), has_more: z.boolean() })
  .describe('Newest first.')
export type PaymentList = z.infer<typeof PaymentList>

/** What a rule decided on; figures are there where the rule has them. */
const figures = {
  rule: z
    .string()
    .optional()
    .meta({ description: 'The rule that refused.', examples: ['group.budget'] }),
  limit: usdc.nullable().optional(),
  spent: usdc.optional(),
  held: usdc.optional(),
  remaining: usdc.nullable().optional(),
  resets_at: instant.optional().describe('When the rule’s period ends and its budget is full again.'),
  max_allowed_now: usdc.optional().describe('The most that this recipient could be paid now.'),
  scope: z.string().optional().describe('The scope that the access token lacks.'),
  next: z.string().optional().describe('What to do about it.'),
}

/** POST /v1/payments/check: would this be allowed now? Nothing is reserved, so a payment may still be refused later. */
export const PaymentCheck = z.object({
  object: z.literal('payment_check'),
  allowed: z.boolean(),
  amount: usdc,
  max_allowed_now: usdc.describe('The most that this recipient could be paid now.'),
  budget: Budget,
  refusal: z
    .object({ code: z.string(), detail: z.string(), ...figures })
    .nullable()
    .describe('What a payment would be refused with; null when it would be allowed.'),
})
export type PaymentCheck = z.infer<typeof PaymentCheck>

/** GET /v1/context: who asks, and what it may do now. */
export const PaymentContext = z.object({
  agent: z.object({ id: z.string(), name: z.string() }),
  policy_group: z.object({
    id: z.string(),
    name: z.string(),
    version: z.int(),
    scopes: z.array(z.string()),
    wallet: z.string().nullable().describe('Address the group pays from.'),
    chain: z
      .enum(['base', 'base-sepolia'])
      .nullable()
      .describe('Where it pays: Base, or its test network, where USDC has no value.'),
    contacts: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        address: z.string().nullable(),
        email: z.string().nullable(),
        phone: z.string().nullable(),
        stale: z.boolean().describe('Changed since it was whitelisted: refused until the owner confirms it.'),
      }),
    ),
  }),
  budget: Budget,
  max_allowed_now: usdc.describe('The least of what budget, session key and wallet leave.'),
})
export type PaymentContext = z.infer<typeof PaymentContext>

/** RFC 9457 body of every /v1 refusal. */
export const Problem = z
  .object({
    type: z.string().meta({ format: 'uri' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('A sentence for people.'),
    instance: z.string().optional(),
    code: z.string().meta({ description: 'Stable name for programs.', examples: ['budget_exceeded'] }),
    request_id: z.string(),
    ...figures,
    payment_id: z.string().optional().describe('The recorded refusal; GET /v1/payments/{id} shows it.'),
    errors: z
      .array(z.object({ pointer: z.string().describe('JSON pointer into the request.'), detail: z.string() }))
      .optional(),
  })
  .describe('RFC 9457. Rule, figures, max_allowed_now and next come with policy refusals.')
export type Problem = z.infer<typeof Problem>
