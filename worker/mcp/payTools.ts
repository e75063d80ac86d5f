import { z } from 'zod'
import { type RecipientType, scopeFor } from '../domain/scopes.ts'
import type { Result } from '../errors.ts'
import { keyIn } from '../middleware/idempotency.ts'
import { CreatePayment, Payment, PaymentRecipient } from '../schemas/payment.ts'
import { cancelPayment, createPayment, getPayment } from '../services/agentPayments.ts'
import { type McpCall, paymentId, type Tool, tool } from './tool.ts'

const [contact, address, email, phone] = PaymentRecipient.options

/** What every payment takes besides its recipient. */
const terms = {
  ...CreatePayment.shape,
  idempotency_key: z
    .string()
    .transform((text, ctx) => {
      const key = keyIn(text)
      if (key === null)
        ctx.addIssue({ code: 'custom', message: 'idempotency_key must be 1 to 255 visible ASCII characters' })
      return key ?? z.NEVER
    })
    .meta({
      description:
        'Your own unique text for this payment, such as a UUID. Use the same one when you repeat the call: it never pays twice. The same space as the Idempotency-Key of the REST API.',
      minLength: 1,
      maxLength: 255,
    }),
}
const { to: _, ...common } = terms

const Paid = Payment.extend({
  replayed: z.boolean().describe('True when this idempotency_key had paid before: nothing new was paid.'),
})

const paying = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }

/** The same call as POST /v1/payments, with the recipient's kind in the tool's name. */
async function pay(
  call: McpCall,
  to: CreatePayment['to'],
  { idempotency_key: key, ...rest }: { idempotency_key: string } & Omit<CreatePayment, 'to'>,
): Promise<Result<z.input<typeof Paid>>> {
  const result = await createPayment(call, key, { to, ...rest })
  if (!result.ok) return result
  const { payment, replayed } = result.value
  return { ok: true, value: { ...payment, replayed } }
}

const sends = 'Sends USDC on Base at once; a confirmed payment cannot be taken back.'
const emails =
  'The recipient gets a link and a code and claims the USDC to any address; unclaimed money returns to the owner.'

export const payTools: Tool[] = [
  tool({
    name: 'pay_contact',
    title: 'Pay a contact',
    description: `Pay a whitelisted contact in USDC. get_payment_context lists them with their ids. ${sends}`,
    input: z.strictObject({
      contact_id: contact.shape.contactId.describe('Id of a contact that get_payment_context shows.'),
      method: contact.shape.method,
      ...common,
    }),
    output: Paid,
    annotations: paying,
    scope: scopeFor.contact,
    run: (call, { contact_id, method, ...rest }) =>
      pay(call, { type: 'contact', contactId: contact_id, ...(method && { method }) }, rest),
  }),
  tool({
    name: 'pay_address',
    title: 'Pay an address',
    description: `Pay any address on Base in USDC. ${sends}`,
    input: z.strictObject({ address: address.shape.address, ...common }),
    output: Paid,
    annotations: paying,
    scope: scopeFor.address,
    run: (call, { address, ...rest }) => pay(call, { type: 'address', address }, rest),
  }),
  tool({
    name: 'pay_email',
    title: 'Pay by email',
    description: `Pay somebody by email in USDC. ${emails}`,
    input: z.strictObject({ email: email.shape.email, ...common }),
    output: Paid,
    annotations: paying,
    scope: scopeFor.email,
    run: (call, { email, ...rest }) => pay(call, { type: 'email', email }, rest),
  }),
  tool({
    name: 'pay_phone',
    title: 'Pay by phone',
    description: `Pay somebody by text message in USDC. ${emails}`,
    input: z.strictObject({ phone: phone.shape.phone, ...common }),
    output: Paid,
    annotations: paying,
    scope: scopeFor.phone,
    run: (call, { phone, ...rest }) => pay(call, { type: 'phone', phone }, rest),
  }),
  tool({
    name: 'cancel_payment',
    title: 'Cancel a payment',
    description:
      'Cancel a payment of yours that is still QUEUED; once it is signed it runs to its end. Repeating the call does no harm.',
    input: z.strictObject({ payment_id: paymentId }),
    output: Payment,
    annotations: { ...paying, openWorldHint: false },
    scope: createdUnder,
    run: (call, { payment_id }) => cancelPayment(call, payment_id),
  }),
]

/** Cancelling takes the scope that paying took. */
async function createdUnder(call: McpCall, args: unknown) {
  const id = z.object({ payment_id: paymentId }).safeParse(args)
  const payment = id.success ? await getPayment(call, id.data.payment_id) : null
  return payment?.ok ? scopeFor[payment.value.to.type satisfies RecipientType] : null
}
