import { dayMs } from '../time.ts'

/**
 * A payout run, a file of payments that are decided together:
 *
 *     DRAFT → WAITING      `submit`: checked, and offered for a decision
 *     WAITING → RUNNING    `approve`: its total is reserved, and its rows are paid one after the other
 *     WAITING → DENIED     `deny`
 *     WAITING → EXPIRED    `expire`: nobody decided within `runWaitsMs`
 *     DRAFT, WAITING → CANCELLED  `cancel` by who made it, or with its wallet or account
 *     RUNNING → DONE       `finish`: no row waits any more
 *     RUNNING → STOPPED    `stop`: rows that wait are released, payments that were handed over run on
 */
export const runStatuses = [
  ...(['DRAFT', 'WAITING', 'RUNNING', 'DONE', 'STOPPED', 'DENIED', 'EXPIRED', 'CANCELLED'] as const),
]
export type RunStatus = (typeof runStatuses)[number]
export type RunEvent = 'submit' | 'approve' | 'deny' | 'expire' | 'cancel' | 'finish' | 'stop'

/** How long a run waits for a decision. */
export const runWaitsMs = 7 * dayMs

const runNext: Record<RunStatus, Partial<Record<RunEvent, RunStatus>>> = {
  DRAFT: { submit: 'WAITING', cancel: 'CANCELLED' },
  WAITING: { approve: 'RUNNING', deny: 'DENIED', expire: 'EXPIRED', cancel: 'CANCELLED' },
  RUNNING: { finish: 'DONE', stop: 'STOPPED' },
  DONE: {},
  STOPPED: {},
  DENIED: {},
  EXPIRED: {},
  CANCELLED: {},
}

/** The status after `event`, or null if the event does not apply; then nothing may change. */
export const nextRun = (status: RunStatus, event: RunEvent): RunStatus | null => runNext[status][event] ?? null

/** Whether a second upload of the same rows is refused (`same_run`). */
export const blocksRepeat = (status: RunStatus): boolean => status !== 'DENIED' && status !== 'CANCELLED'

/**
 * A row of a run:
 *
 *     left_out                 it has an error, or was left out; it is no part of the total
 *     waiting → handed_over    `hand_over`: it has a payment, whose own status counts from then on
 *     waiting → failed         `fail`: its recipient or amount was refused (domain/runs/rowRefusal.ts)
 *     waiting → released       `release` by the run's `stop`
 */
export const runRowStatuses = ['left_out', 'waiting', 'released', 'failed', 'handed_over'] as const
export type RunRowStatus = (typeof runRowStatuses)[number]
