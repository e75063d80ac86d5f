/** Calls of /v1 through the SDK, for tests that also want refusals and unknown outcomes as replies. */

import type { Payment } from '#schemas/payment.ts'
import { Bursar, BursarError, type PayOptions } from '#sdk'

export type Reply<T> = { status: number; body: T }

/** An agent whose calls are sent once. Tests that repeat them do so themselves. */
export const agentAt = (url: string, apiKey: string) => new Bursar({ url, apiKey, retryForMs: 0 })

/** Returns the reply of Bursar, whatever it is. Throws if there is none. `T` is the body that the test expects. */
export async function replyTo<T>(call: Promise<unknown>): Promise<Reply<T>> {
  try {
    const body = await call
    return { status: 200, body: body as T }
  } catch (error) {
    if (!(error instanceof BursarError) || error.status === undefined || !error.problem) throw error
    return { status: error.status, body: error.problem as T }
  }
}

/** Asks for a payment once. The status is 201 if it is accepted, 202 if it waits for the owner. */
export async function payOnce<T = Payment>(
  { url }: { url: string },
  apiKey: string,
  options: PayOptions,
): Promise<Reply<T>> {
  const reply = await replyTo<Payment>(agentAt(url, apiKey).pay(options))
  const success = reply.body.status === 'PENDING_APPROVAL' ? 202 : 201
  return { status: reply.status === 200 ? success : reply.status, body: reply.body as T }
}
