import { z } from 'zod'
import { Payment, PaymentContext, PaymentList, PaymentsQuery } from '../schemas/payment.ts'
import { getPayment, listPayments, paymentContext } from '../services/agentPayments.ts'
import { paymentId, type Tool, tool } from './tool.ts'

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const scope = 'payment_context:read'
/** More fill an agent's context without helping it: it can search. */
const contactsShown = 100

export const readTools: Tool[] = [
  tool({
    name: 'get_payment_context',
    title: 'What may I pay?',
    description:
      'Your budget (limit, spent, held, remaining), what you could pay at most now, the scopes of your policy group, and its whitelisted contacts. Call this before paying.',
    input: z.strictObject({
      contact: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .optional()
        .describe('Show only contacts whose name, email, phone or address contains this text.'),
    }),
    output: PaymentContext.extend({
      contacts_total: z.int().describe(`Contacts that match. At most ${contactsShown} of them are shown.`),
    }),
    annotations: readOnly,
    scope,
    async run(call, { contact }) {
      const result = await paymentContext(call)
      if (!result.ok) return result
      const { policy_group, ...rest } = result.value
      const wanted = contact?.toLowerCase()
      const contacts = policy_group.contacts.filter(
        ({ name, email, phone, address }) =>
          !wanted || [name, email, phone, address].some((text) => text?.toLowerCase().includes(wanted)),
      )
      const shown = { ...policy_group, contacts: contacts.slice(0, contactsShown) }
      return { ok: true, value: { ...rest, policy_group: shown, contacts_total: contacts.length } }
    },
  }),
  tool({
    name: 'list_payments',
    title: 'List payments',
    description: 'Your payments, newest first, refused ones included. Pages: pass next_cursor as cursor.',
    input: PaymentsQuery,
    output: PaymentList,
    annotations: readOnly,
    scope,
    run: listPayments,
  }),
  tool({
    name: 'get_payment',
    title: 'Look up a payment',
    description:
      'One payment of yours by its id. A payment is final when its status is CONFIRMED, FAILED, POLICY_REJECTED, VALIDATION_FAILED, CANCELLED or EXPIRED.',
    input: z.strictObject({ payment_id: paymentId }),
    output: Payment,
    annotations: readOnly,
    scope,
    run: (call, { payment_id }) => getPayment(call, payment_id),
  }),
]
