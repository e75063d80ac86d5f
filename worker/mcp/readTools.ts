import { z } from 'zod'
import {
  BudgetRequest,
  BudgetRequestId,
  Payment,
  PaymentContext,
  PaymentContextQuery,
  PaymentList,
  PaymentsQuery,
} from '#schemas/payment.ts'
import { getBudgetRequest, getPayment, listPayments, paymentContext } from '../services/agentPayments.ts'
import { paymentId, type Tool, tool } from './tool.ts'

const reads = {
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  scope: 'payment_context:read',
} as const
export const readTools: Tool[] = [
  tool({
    name: 'get_payment_context',
    title: 'Get the payment context',
    description:
      'Your budget (limit, spent, held, remaining), the largest amount you can pay now and without asking, the rules in sentences, and your policy group with its scopes and whitelisted contacts. Call this before paying.',
    input: PaymentContextQuery,
    output: PaymentContext,
    ...reads,
    run: paymentContext,
  }),
  tool({
    name: 'list_payments',
    title: 'List payments',
    description: 'Your payments, newest first, including refused ones. For the next page, pass next_cursor as cursor.',
    input: PaymentsQuery,
    output: PaymentList,
    ...reads,
    run: listPayments,
  }),
  tool({
    name: 'get_payment',
    title: 'Get a payment',
    description:
      'One of your payments, by id. PENDING_APPROVAL means that it waits for the owner. The statuses CONFIRMED, FAILED, POLICY_REJECTED, VALIDATION_FAILED, CANCELLED and EXPIRED are final.',
    input: z.strictObject({ payment_id: paymentId }),
    output: Payment,
    hasCard: true,
    ...reads,
    run: (call, { payment_id }) => getPayment(call, payment_id),
  }),
  tool({
    name: 'get_budget_request',
    title: 'Get a budget request',
    description: 'One of your requests for more budget, by id.',
    input: z.strictObject({ request_id: BudgetRequestId.describe('The id that request_budget returned.') }),
    output: BudgetRequest,
    hasCard: true,
    ...reads,
    run: (call, { request_id }) => getBudgetRequest(call, request_id),
  }),
]
