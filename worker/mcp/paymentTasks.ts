import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Payment } from '#schemas/payment.ts'
import { cancelPayment, getPayment } from '../services/agentPayments.ts'
import type { Task, Tasks } from './tasks.ts'
import type { McpCall } from './tool.ts'

/** Payments that wait for their owner, as tasks. A task's id is its payment's, so nothing more is stored. */

const pollIntervalMs = 5_000 // 5 seconds
/** What came of an approval is known for 30 days; approved payments for good. */
const keptMs = 30 * 24 * 3_600_000

/** Null for a payment that waited for nobody. */
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
      return { ...common, status: 'working', statusMessage: `Waits for the owner until ${approval.expires_at}.` }
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

/** Inlined in a task, where nothing stamps it. */
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
      // Too late is no error: the next tasks/get shows what it became.
      if (payment?.status === 'PENDING_APPROVAL') await cancelPayment(call, id)
      return payment !== null
    },
    // Nothing is ever asked of the agent.
    update: async (id) => (await find(id)) !== null,
  }
}
