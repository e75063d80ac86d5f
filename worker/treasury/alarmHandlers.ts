import { chainIds } from '#domain/networks.ts'
import { markBusy, markIdle } from '../db/watchdog.ts'
import { earliest } from '../durable/alarms.ts'
import { nextTurn } from '../durable/turns.ts'
import { logError } from '../observability/log.ts'
import { endAllOverdue, pruneApprovals } from './approvals/end.ts'
import type { AlarmKind, Context } from './core/context.ts'
import { nextMinedAt, settleEveryMs, signEveryMs } from './core/minedReports.ts'
import { isRelayed } from './core/storage/kindSql.ts'
import { pruneNotices } from './ledger/notices.ts'
import { pruneMessages } from './limits/messageLimits.ts'
import type { Outbox } from './outbox/delivery/flush.ts'
import { sendChanges } from './outbox/delivery/history.ts'
import { recordHistory, recordSize } from './outbox/delivery/troubles.ts'
import { nextDueAt } from './outbox/entries.ts'
import { reportMonth } from './payments/month.ts'
import { continueReclaimAll } from './payments/payouts/actions.ts'
import { eraseSentCodes } from './payments/payouts/codes.ts'
import { nextExpiryAt, reclaimExpired, remindRecipients } from './payments/payouts/expiry.ts'
import { pruneRefusals } from './payments/refusals.ts'
import { continueRuns, pruneRuns } from './runs/turns.ts'
import { settleFinality } from './settlement/finality.ts'
import { readIdleWallets } from './settlement/idle.ts'
import { onlyDeadPurchasesUntil, settle } from './settlement/settle.ts'
import { warnOfEndingKeys } from './wallets/endingKeys.ts'
import { nextDueAt as nextWalletDueAt } from './wallets/idleReads.ts'
import { submitDueJobs } from './wallets/relay/submitJobs.ts'

const expiryPauseMs = 30_000 // 30 seconds

/** Does the work of one kind of alarm. Returns when it is due again (ms), null when nothing is left to do. */
export async function runAlarm(
  ctx: Context,
  outbox: Outbox,
  kind: Exclude<AlarmKind, 'schema'>,
): Promise<number | null> {
  switch (kind) {
    case 'settle':
      return settleOpen(ctx)
    case 'outbox':
      return flushOutbox(ctx, outbox)
    case 'history':
      return sendHistory(ctx)
    case 'reclaim':
      return andSubmit(ctx, () => continueReclaimAll(ctx))
    case 'scan':
      return scanIdle(ctx)
    case 'expiry':
      return andSubmit(ctx, () => handleExpiry(ctx))
    case 'finality':
      return settleFinality(ctx)
    case 'approvals':
      return endAllOverdue(ctx)
    case 'runs':
      return andSubmit(ctx, () => continueRuns(ctx))
    case 'keys':
      return warnOfEndingKeys(ctx)
  }
}

/** Runs `work`, then submits what it has signed, even if part of it failed. */
async function andSubmit<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await submitDueJobs(ctx)
  }
}

async function settleOpen(ctx: Context): Promise<number | null> {
  const { store, now } = ctx
  const reported = reportBusy(ctx)
  const queued = store.count(`payment WHERE status = 'QUEUED' AND ${isRelayed('kind')}`)
  const { isOpen, againAt } = await andSubmit(ctx, () => settle(ctx))
  await reported
  const dead = isOpen ? onlyDeadPurchasesUntil(ctx) : null
  if (dead !== null) return earliest(againAt, Math.max(dead, now() + settleEveryMs))
  if (isOpen) return earliest(againAt, now() + (queued > 0 ? signEveryMs : settleEveryMs), nextMinedAt(ctx))
  // If a payment is accepted in the meantime, its settle alarm marks this Treasury busy again.
  store.setMeta('busy_reported_at', 0)
  await markIdle(ctx.db, ctx.userId)
  return null
}

async function sendHistory(ctx: Context): Promise<number | null> {
  const { left } = await sendChanges(ctx).catch((error: unknown) => {
    recordHistory(ctx, error instanceof Error ? error.message : String(error))
    throw error
  })
  recordHistory(ctx, left > 0 ? `it lacks ${left} changes` : null)
  return left > 0 ? ctx.now() : null
}

async function flushOutbox(ctx: Context, outbox: Outbox): Promise<number | null> {
  recordSize(ctx)
  await Promise.all([outbox.flush(), outbox.flushEvents()])
  await outbox.flushMail()
  return nextDueAt(ctx)
}

/** Prunes old rows, reports a month that is over, and reads the idle wallets that are due. */
async function scanIdle(ctx: Context): Promise<number> {
  while (pruneRefusals(ctx)) await nextTurn()
  pruneApprovals(ctx)
  pruneRuns(ctx)
  pruneNotices(ctx.store, ctx.now())
  pruneMessages(ctx)
  reportMonth(ctx)
  recordSize(ctx)
  await readIdleWallets(ctx)
  return nextWalletDueAt(ctx)
}

async function handleExpiry(ctx: Context): Promise<number | null> {
  eraseSentCodes(ctx)
  await forEach(chainIds, (chainId) => reclaimExpired(ctx, chainId))
  const dueAt = earliest(nextExpiryAt(ctx), remindRecipients(ctx))
  return dueAt === null ? null : Math.max(ctx.now() + expiryPauseMs, dueAt)
}

/** Runs `work` for each item in order, even after a failure; then throws the first failure. */
async function forEach<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const one of list) await work(one).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** The row in D1 is renewed when it is older than this; the cron watchdog wakes Treasuries whose row is twice as old. */
const renewAfterMs = 60_000 // 1 minute

/**
 * Marks this Treasury as busy in D1, so that the watchdog notices a lost alarm: when it accepts something to settle, and as
 * long as that is open. Undefined if it has done so within a minute.
 */
export function reportBusy({ db, store, now, userId }: Context): Promise<void> | undefined {
  const at = now()
  if (at - (store.meta('busy_reported_at') ?? 0) < renewAfterMs) return undefined
  store.setMeta('busy_reported_at', at)
  return markBusy(db, userId, at).catch((error: unknown) => {
    logError('watchdog_row_not_written', { user: userId }, error)
    store.setMeta('busy_reported_at', 0)
  })
}
