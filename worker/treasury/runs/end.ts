import type { AuditEvent } from '#domain/events.ts'
import { nextRun, type RunEvent } from '#domain/runs/runStatus.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendRunEvent } from '../outbox/events.ts'
import { runEventData } from './eventData.ts'
import { notifyEnd } from './notices.ts'
import { isPrepared, sumsOf, unhold, unsettledOf } from './rows.ts'

const events = {
  submit: 'run.waiting',
  approve: 'run.approved',
  deny: 'run.denied',
  expire: 'run.expired',
  cancel: 'run.cancelled',
  finish: 'run.finished',
  stop: 'run.stopped',
} as const satisfies Record<RunEvent, AuditEvent>

/** SQL: an agent has prepared the run, and it is a person's turn. */
const isHandedOver = `hash IS NOT NULL AND ${isPrepared}
  AND EXISTS (SELECT 1 FROM run_row WHERE run_id = run.id AND run_row.status = 'waiting')`

/**
 * Runs that wait for people, those that agents have prepared among them, without those whose time is over, even if the alarm has not
 * ended them yet.
 */
export const waitingRuns = ({ store, now }: Context): number =>
  store.count(
    `run WHERE ended_at IS NULL AND expires_at > ? AND (status = 'WAITING' OR status = 'DRAFT' AND ${isHandedOver})`,
    now(),
  )

/** Moves the run. Call inside a transaction, for an event that applies to its status. */
export function moveRun(ctx: Context, run: RunRow, event: RunEvent, columns: Partial<RunRow> = {}): RunRow {
  const { store, now } = ctx
  const status = nextRun(run.status, event)
  if (status === null || !store.update('run', run.id, { ...columns, status }, { status: run.status }))
    throw new Error(`a run that is ${run.status} was moved by ${event}`)
  audit(store, now(), events[event], run.id, {
    title: run.title,
    ...(event === 'approve' && { amount: formatColumn(columns.held!) }),
    ...(columns.reason && { reason: columns.reason }),
  })
  recordChange(ctx, `run:${run.id}`)
  const moved = { ...run, ...columns, status }
  if (event === 'submit') sendRunEvent(ctx, 'run.waiting', () => runEventData(ctx, moved))
  if (event === 'finish' || event === 'stop') sendRunEvent(ctx, 'run.finished', () => runEventData(ctx, moved))
  return moved
}

/** Ends the run and releases what it holds. Call inside a transaction. */
export function endRun(
  ctx: Context,
  run: RunRow,
  event: 'deny' | 'expire' | 'cancel' | 'finish' | 'stop',
  columns: Partial<RunRow> = {},
): RunRow {
  const { store, now } = ctx
  if (event === 'stop') {
    store.run("UPDATE run_row SET status = 'released' WHERE run_id = ? AND status = 'waiting'", run.id)
    unhold(ctx, run, store.payoutRun(run.id)!.held)
  }
  const over = { ended_at: now(), waits_code: null, waits_text: null, waits_until: null }
  const ended = moveRun(ctx, { ...run, held: 0 }, event, { ...over, ...columns })
  notifyEnd(ctx, ended)
  return ended
}

/** Ends runs that nobody decided about in time. Call inside a transaction. */
export function endOverdueRuns(ctx: Context): void {
  const open = "SELECT * FROM run WHERE ended_at IS NULL AND status IN ('DRAFT', 'WAITING') AND expires_at <= ?"
  for (const run of ctx.store.all<RunRow>(open, ctx.now()))
    endRun(ctx, run, run.status === 'DRAFT' ? 'cancel' : 'expire')
}

/** Ends a run all of whose rows are paid or have failed, once none of its payments is on its way. */
export function finishIfDone(ctx: Context, runId: string): boolean {
  const { store } = ctx
  return store.transaction(() => {
    const run = store.payoutRun(runId)
    if (run?.status !== 'RUNNING' || sumsOf(store, runId).waiting.rows > 0 || unsettledOf(store, runId) > 0)
      return false
    endRun(ctx, run, 'finish')
    return true
  })
}

/** Cancels what these agents have prepared and nobody has submitted, because they were deleted. Call inside a transaction. */
export function cancelPrepared(ctx: Context, agentIds: readonly string[]): void {
  const drafts = "SELECT * FROM run WHERE status = 'DRAFT' AND made_by IN (SELECT value FROM json_each(?))"
  for (const run of ctx.store.all<RunRow>(drafts, JSON.stringify(agentIds))) endRun(ctx, run, 'cancel')
}

/** Ends every open run of an account that was restored: nothing is paid for a decision that may be lost. Call inside a transaction. */
export function stopAllRuns(ctx: Context): void {
  for (const run of ctx.store.all<RunRow>('SELECT * FROM run WHERE ended_at IS NULL'))
    endRun(ctx, run, run.status === 'RUNNING' ? 'stop' : 'cancel')
}
