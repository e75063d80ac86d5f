import type { CallToolResult } from '@modelcontextprotocol/server'
import { dayMs } from '#domain/time.ts'
import type { Payment } from '#schemas/payment.ts'
import { cancelPayment, getPayment } from '../services/agentPayments.ts'
import type { Task, Tasks } from './tasks.ts'
import type { McpCall } from './tool.ts'

/** Payments that wait for approval, exposed as tasks. A task has the id of its payment, so nothing extra is stored. */

const pollIntervalMs = 5_000 // 5 seconds
/** The outcome of an approval is kept for 30 days, approved payments forever. */
const keptMs = 30 * dayMs

/** Null for a payment that needed no approval. */
export function taskOf(payment: Payment): Task | null {
  const { approval } = payment
  if (!approval) return null
  const common = {
    createdAt: approval.requested_at,
    lastUpdatedAt: approval.decided_at ?? approval.requested_at,
    ttlMs: Date.parse(approval.expires_at) - Date.parse(approval.requested_at) + keptMs,
    pollIntervalMs,
  }
  switch (approval.status) {
    case 'PENDING':
      return { ...common, status: 'working', statusMessage: `Waiting for the owner until ${approval.expires_at}.` }
    case 'CANCELLED':
      return { ...common, status: 'cancelled' }
    case 'APPROVED':
      return { ...common, status: 'completed', result: resultOf({ ...payment, replayed: false }) }
    case 'DENIED':
    case 'EXPIRED': {
      const { code = 'approval_denied', message = 'The owner did not approve this payment.' } = payment.error ?? {}
      const refusal = { code, detail: message, payment_id: payment.id, request_id: payment.id }
      return { ...common, status: 'completed', result: { ...resultOf(refusal), isError: true } }
    }
  }
}

/** The result inlined in a task, where the SDK does not add `resultType`. */
const resultOf = (value: Record<string, unknown>): CallToolResult => ({
  resultType: 'complete',
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
})

export function paymentTasks(call: McpCall): Tasks {
  const find = async (id: string): Promise<Payment | null> => {
    const found = await getPayment(call, id)
    if (!found.ok && found.code === 'unauthenticated') call.rejected = found
    return found.ok && found.value.approval ? found.value : null
  }
  return {
    async get(id) {
      const payment = await find(id)
      return payment && taskOf(payment)
    },
    async cancel(id) {
      const payment = await find(id)
      // Cancelling too late is not an error: the next tasks/get shows the outcome.
      if (payment?.status === 'PENDING_APPROVAL') await cancelPayment(call, id)
      return payment !== null
    },
    // These tasks never require input.
    update: async (id) => (await find(id)) !== null,
  }
}
