import { z } from 'zod'
import { challengeTooLarge, isShallow, maxHeaderLength } from '#domain/x402/paymentRequired.ts'
import { usdcAmount } from './common.ts'
import { commonTerms, reason } from './paymentTerms.ts'

/** The contract of /v1/x402-payments and of the MCP tool pay_x402. */

const { amount: _, ...notes } = commonTerms

/** POST /v1/x402-payments. domain/x402/ checks the challenge itself: `field` of a refusal names its part. */
export const CreatePurchase = z.strictObject({
  resource: z
    .string()
    .max(2_000)
    .describe('The address that answered 402, as you requested it. Query and fragment are no part of the purchase.'),
  method: z.string().max(16).default('GET').describe('The method of your request, such as GET or POST.'),
  payment_required: z
    .union([z.string().max(maxHeaderLength), z.record(z.string(), z.unknown())])
    .refine((value) => isShallow(value), challengeTooLarge)
    .describe('What the seller sent: the header PAYMENT-REQUIRED as it is, or its JSON as an object.'),
  max_amount: usdcAmount
    .optional()
    .meta({ description: 'Decimal USDC. Refused if the seller’s lowest offer is above it.', examples: ['0.05'] }),
  ...notes,
  reason: reason.describe('Why you want to buy, in plain text. Shown to the owner if the purchase needs approval.'),
})
export type CreatePurchase = z.output<typeof CreatePurchase>

/** What the agent sends to the seller. */
export const PurchaseSignature = z
  .object({
    header: z.string().describe('The value of the header PAYMENT-SIGNATURE: repeat your request with it.'),
    payload: z.record(z.string(), z.unknown()).describe('The same as an object.'),
    valid_before: z.int().describe('Unix seconds. After that the seller can no longer take the money.'),
  })
  .meta({ title: 'What you hand to the seller' })
export type PurchaseSignature = z.infer<typeof PurchaseSignature>

/** POST /v1/x402-payments/{id}/receipt */
export const PurchaseReceipt = z.strictObject({
  payment_response: z
    .string()
    .max(4_096)
    .nullable()
    .describe('The header PAYMENT-RESPONSE that the seller sent; null if it sent none.'),
  served: z.boolean().describe('Whether you got the resource.'),
})
export type PurchaseReceipt = z.output<typeof PurchaseReceipt>
