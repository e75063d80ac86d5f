import { eachNote } from '#domain/paymentNotes.ts'
import type { Payment } from '#sdk'

export const address = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'

/** A payment as /v1 replies with it. */
export const payment = (over: Partial<Payment> = {}): Payment => ({
  id: 'pay_1',
  object: 'payment',
  status: 'QUEUED',
  amount: '12.5',
  to: { type: 'address', address },
  ...eachNote(() => null),
  tx_hash: null,
  error: null,
  created_at: '2026-11-20T12:00:00.000Z',
  accepted_at: '2026-11-20T12:00:00.000Z',
  signed_at: null,
  confirmed_at: null,
  approval: null,
  receipt: null,
  budget: { limit: '100', spent: '0', held: '12.5', remaining: '87.5' },
  ...over,
})
