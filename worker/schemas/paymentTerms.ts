import { z } from 'zod'
import { reasonMax } from '#domain/approval.ts'
import { expiryDays } from '#domain/payment.ts'
import { eachFilter, eachNote, type NoteName, noteRule, paymentNotes } from '#domain/paymentNotes.ts'
import { cleanText } from '#domain/readers/text.ts'
import { checksumAddress } from '#domain/validators.ts'
import { address, email, phone, shownText, usdcAmount } from './common.ts'

/** The recipient as requested. For contacts, the whitelist snapshot decides where the money goes. */
export const PaymentRecipient = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('contact'),
        contactId: z
          .string()
          .min(1)
          .max(64)
          .describe('A contact on your policy group’s whitelist; GET /v1/context lists them.'),
        method: z
          .enum(['address', 'email', 'phone'])
          .optional()
          .describe('How to pay the contact. By default its address if it has one, otherwise email, otherwise phone.'),
      })
      .meta({ title: 'A whitelisted contact' }),
    z
      .strictObject({
        type: z.literal('address'),
        address: address.transform(checksumAddress).meta({
          pattern: '^0x[0-9a-fA-F]{40}$',
          description: 'Address on Base. A mixed-case address must have a valid checksum.',
          examples: ['0x8ba1f109551bD432803012645Ac136ddd64DBA72'],
        }),
      })
      .meta({ title: 'An address' }),
    z
      .strictObject({
        type: z.literal('email'),
        email: email.meta({
          description: 'Receives a claim link. The domain of an address is returned in punycode.',
          examples: ['ada@example.com'],
        }),
      })
      .meta({ title: 'An email address' }),
    z
      .strictObject({
        type: z.literal('phone'),
        phone: phone.meta({ description: 'E.164. Receives a claim link.', examples: ['+14155550123'] }),
      })
      .meta({ title: 'A phone number' }),
  ])
  .describe('The recipient.')

/** A seller that is paid for a resource (domain/x402/seller.ts). Requests for payments cannot name one. */
export const Seller = z.strictObject({
  type: z.literal('x402'),
  /** Where the seller is paid, with its checksum. */
  address: z.custom<`0x${string}`>((value) => typeof value === 'string'),
  /** Method, origin and path: `GET https://api.example.com/weather`. */
  resource: z.string(),
})
export type Recipient = z.output<typeof PaymentRecipient> | z.output<typeof Seller>

const note = (name: NoteName) =>
  shownText(noteRule(name))
    .optional()
    .transform((text) => text || null)
    .meta({ description: paymentNotes[name].about, examples: [paymentNotes[name].example] })

/** The fields that every request for a payment takes under the same name. */
export const commonTerms = {
  amount: usdcAmount.meta({
    pattern: '^\\d{1,12}(\\.\\d{1,6})?$',
    description: 'Decimal USDC as a string, with at most 6 decimals. At least 0.10 for payouts to email or phone.',
    examples: ['12.5'],
  }),
  ...eachNote(note),
}

/** An agent's reason, which its owner reads if approval is needed. It is no part of the terms. */
export const reason = shownText({ label: 'The reason', max: reasonMax, lines: true }).optional()

/**
 * What a caller asks for, with defaults resolved: the only definition of a payment's content. The requests of /v1, MCP,
 * /api/transactions/send and /api/escrow/create map to it. A repeat under the same Idempotency-Key must have equal terms, an
 * approval freezes them, and the payment's row has them all.
 */
export const PaymentTerms = z.strictObject({
  /** The wallet that pays. Null for agents, who pay from their group's wallet. */
  wallet: z.string().nullable(),
  to: z.discriminatedUnion('type', [...PaymentRecipient.options, Seller]),
  ...commonTerms,
  /** Payouts only. Null: the default. */
  expiresInDays: z.literal(expiryDays).nullable(),
  /** Shown to the recipient of a payout. */
  senderName: z.string().nullable(),
})
export type PaymentTerms = z.output<typeof PaymentTerms>

/** Parameters of lists. */
export const noteFilters = eachFilter((name) =>
  z
    .string()
    .transform(cleanText)
    .optional()
    .describe(`Only payments with exactly this ${paymentNotes[name].label.toLowerCase()}.`),
)
