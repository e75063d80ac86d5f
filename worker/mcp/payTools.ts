import { z } from 'zod'
import { type RecipientType, scopeFor } from '#domain/scopes.ts'
import { BudgetRequest, CreateBudgetRequest, CreatePayment, Payment, Purchase } from '#schemas/payment.ts'
import { PaymentRecipient } from '#schemas/paymentTerms.ts'
import { CreatePurchase } from '#schemas/x402.ts'
import { ok, type Result } from '../result.ts'
import { cancelPayment, createPayment, createPurchase, getPayment, requestBudget } from '../services/agentPayments.ts'
import { taskOf } from './paymentTasks.ts'
import { idempotencyKey, type McpCall, paymentId, type Tool, tool } from './tool.ts'

const [contact, address, email, phone] = PaymentRecipient.options

/** The fields of a payment, with the idempotency key that REST has in a header. */
const terms = {
  ...CreatePayment.shape,
  idempotency_key: idempotencyKey(
    'A unique value that you choose for this payment, such as a UUID. Repeating a call with the same value never pays twice. Shared with the Idempotency-Key of the REST API.',
  ),
}
const { to: _, ...common } = terms

const Paid = Payment.extend({
  replayed: z
    .boolean()
    .describe('True if an earlier call with this idempotency_key created the payment; nothing new was paid.'),
})

const paying = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }

/** Equivalent to POST /v1/payments, with one tool per kind of recipient. */
async function pay(
  call: McpCall,
  to: CreatePayment['to'],
  { idempotency_key: key, ...rest }: { idempotency_key: string } & Omit<CreatePayment, 'to'>,
): Promise<Result<z.input<typeof Paid>>> {
  const result = await createPayment(call, key, { to, ...rest })
  if (!result.ok) return result
  const { payment, replayed } = result.value
  return ok({ ...payment, replayed })
}

/** The task of a payment that waits for its owner's approval, otherwise null. */
function waiting(payment: z.input<typeof Paid>) {
  const task = payment.status === 'PENDING_APPROVAL' ? taskOf(payment) : null
  return task && { id: payment.id, task }
}

const pays = { output: Paid, annotations: paying, taskOf: waiting, hasCard: true }

const sends =
  'Sends USDC on Base immediately, or after the owner has approved it (PENDING_APPROVAL). A confirmed payment cannot be reversed.'
const claims =
  'The recipient gets a link and a code to claim the USDC to any address. Unclaimed money returns to the owner.'

export const payTools: Tool[] = [
  tool({
    name: 'pay_contact',
    title: 'Pay a contact',
    description: `Pay a whitelisted contact in USDC. get_payment_context lists the contacts with their ids. ${sends}`,
    input: z.strictObject({
      contact_id: contact.shape.contactId.describe('Id of a contact in get_payment_context.'),
      method: contact.shape.method,
      ...common,
    }),
    ...pays,
    scope: scopeFor.contact,
    run: (call, { contact_id, method, ...rest }) =>
      pay(call, { type: 'contact', contactId: contact_id, ...(method && { method }) }, rest),
  }),
  tool({
    name: 'pay_address',
    title: 'Pay an address',
    description: `Pay any address on Base in USDC. ${sends}`,
    input: z.strictObject({ address: address.shape.address, ...common }),
    ...pays,
    scope: scopeFor.address,
    run: (call, { address, ...rest }) => pay(call, { type: 'address', address }, rest),
  }),
  tool({
    name: 'pay_email',
    title: 'Pay by email',
    description: `Pay a person by email in USDC. ${claims}`,
    input: z.strictObject({ email: email.shape.email, ...common }),
    ...pays,
    scope: scopeFor.email,
    run: (call, { email, ...rest }) => pay(call, { type: 'email', email }, rest),
  }),
  tool({
    name: 'pay_phone',
    title: 'Pay by phone',
    description: `Pay a person by text message in USDC. ${claims}`,
    input: z.strictObject({ phone: phone.shape.phone, ...common }),
    ...pays,
    scope: scopeFor.phone,
    run: (call, { phone, ...rest }) => pay(call, { type: 'phone', phone }, rest),
  }),
  tool({
    name: 'pay_x402',
    title: 'Buy from an x402 seller',
    description:
      'Pay for a request or a tool call that was answered with 402 (x402, version 2) in USDC. Give the seller x402.header as the HTTP header PAYMENT-SIGNATURE, or x402.payload as _meta["x402/payment"] of the tool call. If the status is PENDING_APPROVAL or QUEUED, call again with the same idempotency_key later.',
    input: z.strictObject({ ...CreatePurchase.shape, idempotency_key: terms.idempotency_key }),
    output: Purchase.extend({ replayed: Paid.shape.replayed }),
    annotations: paying,
    taskOf: waiting,
    hasCard: true,
    scope: scopeFor.x402,
    async run(call, { idempotency_key: key, ...request }) {
      const result = await createPurchase(call, key, request)
      return result.ok ? ok({ ...result.value.payment, replayed: result.value.replayed }) : result
    },
  }),
  tool({
    name: 'cancel_payment',
    title: 'Cancel a payment',
    description:
      'Cancel one of your payments while it is PENDING_APPROVAL or QUEUED. A signed payment cannot be cancelled. Repeating the call is safe.',
    input: z.strictObject({ payment_id: paymentId }),
    output: Payment,
    annotations: { ...paying, openWorldHint: false },
    scope: scopeOfPayment,
    run: (call, { payment_id }) => cancelPayment(call, payment_id),
  }),
  tool({
    name: 'request_budget',
    title: 'Request more budget',
    description:
      'Ask the owner to add an amount to your budget. Nothing changes until the owner approves; get_budget_request shows the decision.',
    input: z.strictObject({ ...CreateBudgetRequest.shape, idempotency_key: terms.idempotency_key }),
    output: BudgetRequest.extend({
      replayed: z.boolean().describe('True if an earlier call with this idempotency_key made the request.'),
    }),
    annotations: { ...paying, destructiveHint: false, openWorldHint: false },
    hasCard: true,
    scope: 'payment_context:read',
    async run(call, { idempotency_key: key, ...input }) {
      const result = await requestBudget(call, key, input)
      return result.ok ? ok({ ...result.value.request, replayed: result.value.replayed }) : result
    },
  }),
]

/** Cancelling requires the same scope as creating the payment. */
async function scopeOfPayment(call: McpCall, args: unknown) {
  const id = z.object({ payment_id: paymentId }).safeParse(args)
  const payment = id.success ? await getPayment(call, id.data.payment_id) : null
  return payment?.ok ? scopeFor[payment.value.to.type satisfies RecipientType] : null
}
