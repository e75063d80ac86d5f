import { z } from 'zod'
import { address, email, memo, phone, usdcAmount } from './common.ts'
import type { TransactionStatus } from './transaction.ts'

export const PaymentRecipient = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('contact'),
    contactId: z.string().min(1).max(64),
    method: z.enum(['address', 'email', 'phone']).optional(),
  }),
  z.strictObject({ type: z.literal('address'), address }),
  z.strictObject({ type: z.literal('email'), email }),
  z.strictObject({ type: z.literal('phone'), phone }),
])
/** POST /v1/payments */
export const CreatePayment = z.strictObject({ to: PaymentRecipient, amount: usdcAmount, memo })

/** GET /v1/payments: `cursor` is opaque to the caller. */
export const PaymentsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z
    .string()
    .transform((text, ctx) => {
      const match = /^(\d{1,16}):([a-z0-9_]{1,64})$/.exec(decoded(text))
      if (!match) {
        ctx.addIssue({ code: 'custom', message: 'This cursor is not one of ours; start again without it.' })
        return z.NEVER
      }
      return { createdAt: Number(match[1]), id: match[2]! }
    })
    .optional(),
})
function decoded(text: string): string {
  try {
    return atob(text)
  } catch {
    return ''
  }
}

/** The agent's view of a payment. Amounts are decimal USDC, times ISO 8601 UTC. */
export type Payment = {
  id: string
  object: 'payment'
  status: TransactionStatus
  amount: string
  to: {
    type: 'contact' | 'address' | 'email' | 'phone'
    address?: string
    contactId?: string
    email?: string
    phone?: string
  }
  memo: string | null
  tx_hash: string | null
  /** Set for refused and failed payments. */
  error: { code: string; message: string } | null
  created_at: string
  signed_at: string | null
  confirmed_at: string | null
  budget: { limit: string | null; spent: string; held: string; remaining: string | null }
}

/** RFC 9457 body of every /v1 refusal. Figures are decimal USDC and there where the rule has them. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  instance?: string
  code: string
  request_id: string
  rule?: string
  limit?: string | null
  spent?: string
  held?: string
  remaining?: string | null
  max_allowed_now?: string
  next?: string
  /** The recorded refusal. */
  payment_id?: string
  errors?: { pointer: string; detail: string }[]
}
