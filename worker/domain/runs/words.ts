import type { PaymentStatus } from '../payment.ts'
import type { RunRowStatus, RunStatus } from './runStatus.ts'

/** What runs and their rows are called on screens and in exports. */

export const runStatusText: Record<RunStatus, string> = {
  ...{ DRAFT: 'Draft', WAITING: 'Waits for a decision', RUNNING: 'Paying', DONE: 'Done' },
  ...{ STOPPED: 'Stopped', DENIED: 'Denied', EXPIRED: 'Not decided in time', CANCELLED: 'Cancelled' },
}

const handedOverText: Partial<Record<PaymentStatus, string>> = {
  ...{ QUEUED: 'On its way', PROCESSING: 'On its way', PENDING: 'Awaiting Claim', CONFIRMED: 'Paid' },
  ...{ FAILED: 'Not paid', CANCELLED: 'Not paid' },
}

/** `payment`: the status of the row's payment, if it has one. */
export function runRowText(status: RunRowStatus, payment: PaymentStatus | null): string {
  if (payment !== null) return handedOverText[payment] ?? 'Not paid'
  return {
    left_out: 'Left out',
    waiting: 'Waiting',
    released: 'Not paid: stopped',
    failed: 'Refused',
    handed_over: 'On its way',
  }[status]
}
