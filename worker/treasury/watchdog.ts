import { markBusy } from '../db/watchdog.ts'
import { logError } from '../observability/log.ts'
import type { Context } from './core/context.ts'

/** The row in D1 is renewed when it is older than this; the cron watchdog wakes Treasuries whose row is twice as old. */
const renewAfterMs = 60_000 // 1 minute

/** Marks this Treasury as busy in D1, so that the watchdog notices a lost alarm. */
export async function reportInProgress({ db, store, now, userId }: Context): Promise<void> {
  if (now() - (store.meta('busy_reported_at') ?? 0) < renewAfterMs) return
  store.setMeta('busy_reported_at', now())
  try {
    await markBusy(db, userId, now())
  } catch (error) {
    logError('watchdog_row_not_written', { user: userId }, error)
  }
}
